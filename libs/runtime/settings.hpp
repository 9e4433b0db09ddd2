// Settings that every service has. Names, defaults and consequences are in libs/runtime/README.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "http/server/server.hpp"
#include "kafka/brokers.hpp"
#include "observability/log.hpp"
#include "runtime/database_preparation.hpp"
#include "runtime/log_places.hpp"

namespace tideline::runtime {

struct CommonSettings {
  http::ServerOptions server;
  // Of probes and metrics alone, on a thread of their own; 0: none.
  std::uint16_t health_port = 0;
  std::string database_url;
  std::size_t database_connections = 12;  // to each database
  std::vector<LogPlace> log_places;       // of the logs that lie elsewhere
  Migrations migrations = Migrations::Run;
  kafka::Brokers kafka_brokers;
  std::int16_t kafka_replication = 1;
  std::uint32_t logs = 16;
  std::string account_secret_file;
  std::string jwt_public_keys;
  std::string wrapping_keys;  // folder; "" = keys of subjects lie in the database as they are
  std::string position_keys;  // folder; "" = position tokens are made under the account secret
  std::string campus_time_zone = "UTC";
  observability::Level log_level = observability::Level::Info;
  std::string log_file;  // "" = stderr
  std::chrono::milliseconds slow_request{500};
  std::chrono::milliseconds linger{0};
  std::chrono::milliseconds drain{4000};
  std::string otlp_endpoint;  // "" = spans go nowhere

  // Mistakes go to `config`.
  static CommonSettings read(core::Config& config);
};

}  // namespace tideline::runtime
