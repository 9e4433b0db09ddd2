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
// How much further each look goes back that did not reach the checkpoint.
constexpr std::int64_t kLookBackFactor = 30;
constexpr std::size_t kBatch = 1000;

}  // namespace

struct PartitionTails::State {
  const std::string topic;
  const std::uint32_t partitions;
  Client client;
  ClientQueue queue;
};

PartitionTails::PartitionTails(const Brokers& brokers, std::string topic,
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

// The end of one partition, as far back as it was read.
struct PartitionTails::Window {
  core::LogPosition checkpoint;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  core::LogPosition first;  // 0: nothing read yet
  core::LogPosition last;
  core::LogPosition whole;  // what a consumer would take that had everything before the window
  std::optional<eventsourcing::RecordedEvent> newest;

  void look_back(std::int64_t records) {
    begin = std::max<std::int64_t>(0, end - records);
    first = last = whole = core::LogPosition(0);
    newest.reset();
  }
  void see(eventsourcing::RecordedEvent event) {
    const core::LogPosition position = event.position;
    if (first == core::LogPosition(0)) {
      first = position;
      if (begin > 0) whole = core::LogPosition(position.value() - 1);
    }
    last = position;
    if (position.value() == whole.value() + 1) whole = position;
    if (!newest || newest->position < position) newest = std::move(event);
  }
  // False: a hole behind the checkpoint may lie before it. One at or before the checkpoint lies in
  // it too, if the broker lost records and took others before anybody noticed.
  bool decides() const { return begin == 0 || (newest && first <= checkpoint); }
  // The last record may be one of a repetition that was broken off: that is to be completed.
  PartitionTail tail() const { return {newest, std::min(last, whole), core::KafkaOffset(end)}; }
};

core::Status PartitionTails::read_windows(std::map<core::LogIndex, Window>& windows,
                                          milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  rd_kafka_t* client = state_->client.get();
  std::set<std::int32_t> open;
  const PartitionList list(rd_kafka_topic_partition_list_new(1));
  for (const auto& [log, window] : windows) {
    if (window.end == 0) continue;
    const auto partition = static_cast<std::int32_t>(log.value());
    open.insert(partition);
    rd_kafka_topic_partition_list_add(list.get(), state_->topic.c_str(), partition)->offset =
        window.begin;
  }
  if (open.empty()) return core::success();
  rd_kafka_assign(client, list.get());
  std::optional<core::Error> error;
  while (!open.empty() && Clock::now() < deadline) {
    error = consume(client, state_->queue.get(), milliseconds(100), kBatch,
                    [&](const rd_kafka_message_t& message) {
                      if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
                        open.erase(message.partition);
                      } else if (auto event = decode_message(message)) {
                        windows.at(event->log).see(std::move(*event));
                      }
                    });
  }
  rd_kafka_assign(client, nullptr);
  if (open.empty()) return core::success();
  return error ? *error : core::timed_out("last records of " + state_->topic);
}

core::Result<PartitionTails::Tails> PartitionTails::read(const Checkpoints& checkpoints,
                                                         milliseconds timeout) {
  const auto all_ends = ends(timeout);
  if (!all_ends) return all_ends.error();
  std::map<core::LogIndex, Window> undecided;
  for (const auto& [log, checkpoint] : checkpoints) {
    undecided[log].checkpoint = checkpoint;
    undecided[log].end = all_ends->at(log.value());
  }
  Tails tails;
  for (std::int64_t back = kLookBack; !undecided.empty(); back *= kLookBackFactor) {
    for (auto& [log, window] : undecided) window.look_back(back);
    const core::Status done = read_windows(undecided, timeout);
    if (!done) return done.error();
    for (const auto& [log, window] : undecided) {
      if (window.end > 0 && !window.newest) {
        return core::internal_error("the last records of " + state_->topic + "/" +
                                    std::to_string(log.value()) + " are no events");
      }
      if (window.decides()) tails[log] = window.tail();
    }
    std::erase_if(undecided, [&](const auto& entry) { return tails.contains(entry.first); });
  }
  return tails;
}

core::Result<std::vector<std::int64_t>> PartitionTails::ends(milliseconds timeout) {
  return query_ends(state_->client.get(), state_->topic, state_->partitions, timeout);
}

struct GapReports::State {
  Client client;
  ClientQueue queue;
};

GapReports::GapReports(const Brokers& brokers) {
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
