#include "kafka/partition_reader.hpp"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <set>
#include <utility>

#include "kafka/client.hpp"
#include "kafka/message.hpp"
#include "kafka/topics.hpp"

namespace tideline::kafka {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// So many records at the end of a partition may be no events before it counts as foreign.
constexpr std::int64_t kLookBack = 100;
constexpr std::size_t kBatch = 1000;

}  // namespace

struct PartitionTails::State {
  const std::string topic;
  const std::uint32_t partitions;
  Client client;
  ClientQueue queue;
};

PartitionTails::PartitionTails(const std::string& brokers, std::string topic,
                               std::uint32_t partitions) {
  Settings settings = reader_settings();
  settings.emplace_back("enable.partition.eof", "true");
  Client client = make_consumer(make_conf(brokers, "tideline-relay-tails", settings));
  ClientQueue queue(rd_kafka_queue_get_consumer(client.get()));
  state_ = std::unique_ptr<State>(
      new State{std::move(topic), partitions, std::move(client), std::move(queue)});
}

PartitionTails::~PartitionTails() {
  state_->queue.reset();
  rd_kafka_consumer_close(state_->client.get());
}

core::Result<std::map<core::LogIndex, std::optional<eventsourcing::RecordedEvent>>>
PartitionTails::last_events(const std::vector<core::LogIndex>& logs, milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  rd_kafka_t* client = state_->client.get();
  const auto ends = query_ends(client, state_->topic, state_->partitions, timeout);
  if (!ends) return ends.error();
  std::map<core::LogIndex, std::optional<eventsourcing::RecordedEvent>> found;
  std::set<std::int32_t> open;
  const PartitionList list(rd_kafka_topic_partition_list_new(1));
  for (const core::LogIndex log : logs) {
    found[log] = std::nullopt;
    const std::int64_t end = ends->at(log.value());
    if (end == 0) continue;
    const auto partition = static_cast<std::int32_t>(log.value());
    open.insert(partition);
    rd_kafka_topic_partition_list_add(list.get(), state_->topic.c_str(), partition)->offset =
        std::max<std::int64_t>(0, end - kLookBack);
  }
  if (open.empty()) return found;
  rd_kafka_assign(client, list.get());
  std::optional<core::Error> error;
  while (!open.empty() && Clock::now() < deadline) {
    error = consume(client, state_->queue.get(), milliseconds(100), kBatch,
                    [&](const rd_kafka_message_t& message) {
                      if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
                        open.erase(message.partition);
                      } else if (auto event = decode_message(message)) {
                        found[event->log] = std::move(*event);
                      }
                    });
  }
  rd_kafka_assign(client, nullptr);
  if (!open.empty()) return error ? *error : core::timed_out("last records of " + state_->topic);
  for (const auto& [log, event] : found) {
    if (event || ends->at(log.value()) == 0) continue;
    return core::internal_error("the last records of " + state_->topic + "/" +
                                std::to_string(log.value()) + " are no events");
  }
  return found;
}

struct GapReports::State {
  Client client;
  ClientQueue queue;
};

GapReports::GapReports(const std::string& brokers) {
  Client client = make_consumer(make_conf(brokers, "tideline-relay-gaps", reader_settings()));
  ClientQueue queue(rd_kafka_queue_get_consumer(client.get()));
  const PartitionList list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), kGapsTopic, 0)->offset = RD_KAFKA_OFFSET_END;
  rd_kafka_assign(client.get(), list.get());
  state_ = std::unique_ptr<State>(new State{std::move(client), std::move(queue)});
}

GapReports::~GapReports() {
  state_->queue.reset();
  rd_kafka_consumer_close(state_->client.get());
}

std::vector<GapReport> GapReports::take() {
  std::vector<GapReport> reports;
  const auto ignored =
      consume(state_->client.get(), state_->queue.get(), milliseconds(0), kBatch,
              [&](const rd_kafka_message_t& message) {
                if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) return;
                const std::string_view text(static_cast<const char*>(message.payload), message.len);
                if (auto report = decode_gap(text)) reports.push_back(std::move(*report));
              });
  static_cast<void>(ignored);
  return reports;
}

}  // namespace tideline::kafka
