#include "kafka/gaps.hpp"

#include <librdkafka/rdkafka.h>

#include <charconv>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>

#include "kafka/client.hpp"
#include "kafka/topics.hpp"

namespace tideline::kafka {
namespace {

constexpr std::chrono::milliseconds kEndTimeout{1000};
constexpr std::size_t kReportBytesMax = 1024;

// 64-bit numbers travel as texts, as everywhere in Tideline's JSON.
std::optional<std::int64_t> read_number(const nlohmann::json& report, const char* field) {
  const auto found = report.find(field);
  if (found == report.end() || !found->is_string()) return std::nullopt;
  const auto& text = found->get_ref<const std::string&>();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::string encode_gap(const GapReport& report) {
  return nlohmann::json{{"service", report.partition.service},
                        {"log", report.partition.log.value()},
                        {"position", std::to_string(report.position.value())},
                        {"end_offset", std::to_string(report.end_offset.value())}}
      .dump();
}

std::optional<GapReport> decode_gap(std::string_view json) {
  if (json.size() > kReportBytesMax) return std::nullopt;
  const auto report = nlohmann::json::parse(json, nullptr, false);
  if (!report.is_object()) return std::nullopt;
  const auto service = report.find("service");
  const auto log = report.find("log");
  const auto position = read_number(report, "position");
  const auto end_offset = read_number(report, "end_offset");
  if (service == report.end() || !service->is_string() || log == report.end() ||
      !log->is_number_unsigned() || !position || *position == 0 || !end_offset) {
    return std::nullopt;
  }
  return GapReport{{service->get<std::string>(), core::LogIndex(log->get<std::uint32_t>())},
                   core::LogPosition(static_cast<std::uint64_t>(*position)),
                   core::KafkaOffset(*end_offset)};
}

struct GapReporter::State {
  std::mutex mutex;
  Client client;
};

GapReporter::GapReporter(const Brokers& brokers) : state_(std::make_unique<State>()) {
  state_->client = make_producer(
      make_conf(brokers, "tideline-gaps", {{"acks", "all"}, {"message.timeout.ms", "5000"}}));
}

GapReporter::~GapReporter() = default;

void GapReporter::report(const eventsourcing::SourcePartition& partition,
                         core::LogPosition position) {
  const std::lock_guard lock(state_->mutex);
  rd_kafka_t* client = state_->client.get();
  rd_kafka_poll(client, 0);  // acknowledgements, which nobody asks for
  const std::string topic = events_topic(partition.service);
  std::int64_t begin = 0;
  std::int64_t end = 0;
  const auto asked = rd_kafka_query_watermark_offsets(
      client, topic.c_str(), static_cast<int>(partition.log.value()), &begin, &end,
      static_cast<int>(kEndTimeout.count()));
  if (asked != RD_KAFKA_RESP_ERR_NO_ERROR) return;
  const std::string text = encode_gap({partition, position, core::KafkaOffset(end)});
  rd_kafka_producev(client, RD_KAFKA_V_TOPIC(kGapsTopic), RD_KAFKA_V_PARTITION(0),
                    RD_KAFKA_V_VALUE(const_cast<char*>(text.data()), text.size()),
                    RD_KAFKA_V_KEY(topic.data(), topic.size()),
                    RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
}

}  // namespace tideline::kafka
