#include "kafka/brokers.hpp"

#include <librdkafka/rdkafka.h>

#include <array>
#include <fstream>
#include <string_view>

#include "kafka/client.hpp"

namespace tideline::kafka {
namespace {

bool is_about_security(std::string_view name) {
  return name == "security.protocol" || name.starts_with("sasl.") || name.starts_with("ssl.");
}

// What librdkafka says against them; "" = nothing. It connects only in the background.
std::string objection(const Settings& security) {
  std::array<char, 512> why{};
  ClientConf conf(rd_kafka_conf_new());
  rd_kafka_conf_set_log_cb(conf.get(), [](const rd_kafka_t*, int, const char*, const char*) {});
  for (const auto& [name, value] : security) {
    const auto set =
        rd_kafka_conf_set(conf.get(), name.c_str(), value.c_str(), why.data(), why.size());
    if (set != RD_KAFKA_CONF_OK) return why.data();
  }
  const Client client(rd_kafka_new(RD_KAFKA_PRODUCER, conf.get(), why.data(), why.size()));
  if (!client) return why.data();
  conf.release();  // the client's now
  return "";
}

}  // namespace

core::Result<Brokers> Brokers::secured(std::string host_ports, const std::filesystem::path& file) {
  std::ifstream lines(file);
  if (!lines) return core::Error{core::ErrorCode::NotFound, "cannot read " + file.string()};
  Brokers brokers(std::move(host_ports));
  std::size_t number = 0;
  bool says_how = false;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const auto equals = line.find('=');
    // A line may hold a password: only its name is told.
    if (equals == std::string::npos) {
      return core::invalid_input("line " + std::to_string(number) + " is not NAME=VALUE");
    }
    const std::string name = line.substr(0, equals);
    if (!is_about_security(name)) {
      return core::invalid_input("\"" + name + "\" is no setting of librdkafka's about security");
    }
    says_how = says_how || name == "security.protocol";
    brokers.security.emplace_back(name, line.substr(equals + 1));
  }
  // librdkafka would go on in clear, whatever else is there.
  if (!says_how) return core::invalid_input("security.protocol is missing");
  if (const std::string why = objection(brokers.security); !why.empty()) {
    return core::invalid_input(why);
  }
  return brokers;
}

}  // namespace tideline::kafka
