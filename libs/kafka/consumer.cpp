#include "kafka/consumer.hpp"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/check.hpp"
#include "kafka/client.hpp"
#include "kafka/message.hpp"
#include "kafka/topics.hpp"

namespace tideline::kafka {
namespace {

using eventsourcing::PollResult;
using eventsourcing::SourcePartition;
using eventsourcing::SourceRecord;
using std::chrono::milliseconds;

constexpr milliseconds kSeekTimeout{2000};
constexpr milliseconds kEndsTimeout{1000};
constexpr milliseconds kWakeTimeout{100};
constexpr milliseconds kHeartbeat{300};
constexpr std::size_t kKeptDataBytes = 4096;

}  // namespace

struct KafkaRecordSource::State {
  // A partition that this consumer has.
  struct Held {
    std::optional<core::KafkaOffset> seek;  // still to be carried out
    bool paused = false;
  };

  explicit State(ConsumerOptions options_);
  ~State();

  static void on_rebalance(rd_kafka_t* client, rd_kafka_resp_err_t event,
                           rd_kafka_topic_partition_list_t* list, void* opaque);
  void hand_over(PollResult& result);
  core::Status start();
  core::Status carry_out_seeks();
  void take(const rd_kafka_message_t& message);
  const std::pair<const SourcePartition, Held>* holder_of(const rd_kafka_message_t& message);
  SourceRecord& next_record();
  void keep_fetching();
  core::Status flow(const SourcePartition& partition, bool paused);

  void add(rd_kafka_topic_partition_list_t* list, const SourcePartition& partition,
           std::int64_t offset) const {
    rd_kafka_topic_partition_list_add(list, events_topic(partition.service).c_str(),
                                      static_cast<int>(partition.log.value()))
        ->offset = offset;
  }
  PartitionList paused_partitions() const;
  std::optional<SourcePartition> partition_of(const char* topic, int partition) const {
    const auto service = service_of.find(topic);
    if (service == service_of.end() || partition < 0) return std::nullopt;
    return SourcePartition{service->second, core::LogIndex(static_cast<std::uint32_t>(partition))};
  }

  const ConsumerOptions options;
  std::map<std::string, std::string, std::less<>> service_of;  // by topic
  std::map<SourcePartition, Held> held;
  // What was assigned is fetched only once every partition of it has been sought: then the client
  // gets the whole assignment with its offsets at once.
  bool started = false;
  std::vector<SourcePartition> gained;
  std::vector<SourcePartition> lost;
  // The records of this poll: the first `taken` of these, whose strings may be of earlier ones.
  std::vector<SourceRecord> records;
  std::size_t taken = 0;
  std::size_t taken_bytes = 0;
  // Of the last message of this poll: what comes of a partition comes in runs.
  const rd_kafka_topic_t* last_topic = nullptr;
  std::int32_t last_partition = 0;
  const std::pair<const SourcePartition, Held>* last_holder = nullptr;
  std::size_t queued_most = 0;  // since keep_fetching() last had to act
  Client client;
  ClientQueue queue;
};

KafkaRecordSource::State::State(ConsumerOptions options_) : options(std::move(options_)) {
  CHECK(!options.services.empty() && options.logs > 0, "a consumer of nothing");
  for (const std::string& service : options.services) service_of[events_topic(service)] = service;
  Settings settings = reader_settings();
  settings.emplace_back("group.id", options.group.empty() ? options.client_id : options.group);
  if (!options.group.empty()) {
    settings.emplace_back("session.timeout.ms", std::to_string(options.session_timeout.count()));
    // By its answers the others learn that somebody has come or gone, and until they have, nobody
    // applies anything.
    settings.emplace_back("heartbeat.interval.ms", std::to_string(kHeartbeat.count()));
    settings.emplace_back("max.poll.interval.ms",
                          std::to_string(options.max_poll_interval.count()));
    settings.emplace_back("partition.assignment.strategy", "range");
  }
  ClientConf conf = make_conf(options.brokers, options.client_id, settings);
  rd_kafka_conf_set_opaque(conf.get(), this);
  rd_kafka_conf_set_rebalance_cb(conf.get(), on_rebalance);
  client = make_consumer(std::move(conf));
  queue = ClientQueue(rd_kafka_queue_get_consumer(client.get()));
  if (options.group.empty()) {
    for (const std::string& service : options.services) {
      for (std::uint32_t log = 0; log < options.logs; ++log) {
        gained.push_back({service, core::LogIndex(log)});
      }
    }
    return;
  }
  const PartitionList topics(rd_kafka_topic_partition_list_new(1));
  for (const auto& [topic, ignored] : service_of) {
    rd_kafka_topic_partition_list_add(topics.get(), topic.c_str(), RD_KAFKA_PARTITION_UA);
  }
  const auto error = rd_kafka_subscribe(client.get(), topics.get());
  CHECK(error == RD_KAFKA_RESP_ERR_NO_ERROR, rd_kafka_err2str(error));
}

KafkaRecordSource::State::~State() {
  queue.reset();
  rd_kafka_consumer_close(client.get());
}

void KafkaRecordSource::State::on_rebalance(rd_kafka_t* client, rd_kafka_resp_err_t event,
                                            rd_kafka_topic_partition_list_t* list, void* opaque) {
  State& state = *static_cast<State*>(opaque);
  const bool assigns = event == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS;
  for (int i = 0; i < list->cnt; ++i) {
    const auto partition = state.partition_of(list->elems[i].topic, list->elems[i].partition);
    if (!partition) continue;
    if (assigns) {
      state.gained.push_back(*partition);
    } else if (std::erase(state.gained, *partition) == 0) {
      state.lost.push_back(*partition);
    }
  }
  if (assigns && list->cnt > 0) return;  // start() answers, with offsets
  rd_kafka_assign(client, assigns ? list : nullptr);
}

void KafkaRecordSource::State::hand_over(PollResult& result) {
  result.revoked = std::exchange(lost, {});
  result.assigned = std::exchange(gained, {});
  for (const SourcePartition& partition : result.revoked) held.erase(partition);
  for (const SourcePartition& partition : result.assigned) held[partition] = {};
  if (result.revoked.empty() && result.assigned.empty()) return;
  started = false;
  std::erase_if(result.records, [&](const SourceRecord& record) {
    return std::find(result.revoked.begin(), result.revoked.end(),
                     SourcePartition{record.event.source, record.event.log}) !=
           result.revoked.end();
  });
}

PartitionList KafkaRecordSource::State::paused_partitions() const {
  PartitionList list(rd_kafka_topic_partition_list_new(1));
  for (const auto& [partition, state] : held) {
    if (state.paused) add(list.get(), partition, RD_KAFKA_OFFSET_INVALID);
  }
  return list;
}

core::Status KafkaRecordSource::State::start() {
  if (started || held.empty()) return core::success();
  const PartitionList list(rd_kafka_topic_partition_list_new(1));
  for (const auto& [partition, state] : held) {
    if (!state.seek) return core::success();
    add(list.get(), partition, state.seek->value());
  }
  const auto error = rd_kafka_assign(client.get(), list.get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return kafka_error(error, "assignment");
  for (auto& [partition, state] : held) state.seek.reset();
  // The client keeps what was paused over an assignment, also for a partition that went and came.
  rd_kafka_resume_partitions(client.get(), list.get());
  const PartitionList paused = paused_partitions();
  if (paused->cnt > 0) rd_kafka_pause_partitions(client.get(), paused.get());
  started = true;
  return core::success();
}

core::Status KafkaRecordSource::State::carry_out_seeks() {
  if (!started) return core::success();
  const PartitionList list(rd_kafka_topic_partition_list_new(1));
  for (const auto& [partition, state] : held) {
    if (state.seek) add(list.get(), partition, state.seek->value());
  }
  if (list->cnt == 0) return core::success();
  rd_kafka_error_t* failure =
      rd_kafka_seek_partitions(client.get(), list.get(), static_cast<int>(kSeekTimeout.count()));
  if (failure != nullptr) {
    const core::Error error = kafka_error(rd_kafka_error_code(failure), "seek");
    rd_kafka_error_destroy(failure);
    return error;
  }
  core::Status status = core::success();
  for (int i = 0; i < list->cnt; ++i) {
    const rd_kafka_topic_partition_t& one = list->elems[i];
    const auto partition = partition_of(one.topic, one.partition);
    if (one.err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      held.at(*partition).seek.reset();
    } else {
      status = kafka_error(one.err, "seek");
    }
  }
  return status;
}

// nullptr: this consumer does not have the partition, or is about to seek in it.
const std::pair<const SourcePartition, KafkaRecordSource::State::Held>*
KafkaRecordSource::State::holder_of(const rd_kafka_message_t& message) {
  if (message.rkt == last_topic && message.partition == last_partition) return last_holder;
  last_topic = message.rkt;
  last_partition = message.partition;
  last_holder = nullptr;
  const auto partition = partition_of(rd_kafka_topic_name(message.rkt), message.partition);
  if (!partition) return nullptr;
  const auto found = held.find(*partition);
  if (found != held.end() && !found->second.seek) last_holder = &*found;
  return last_holder;
}

SourceRecord& KafkaRecordSource::State::next_record() {
  if (taken == records.size()) records.emplace_back();
  SourceRecord& record = records[taken++];
  // One large event must not hold its memory for ever.
  if (record.event.data.capacity() > kKeptDataBytes) record.event.data = std::string();
  return record;
}

void KafkaRecordSource::State::take(const rd_kafka_message_t& message) {
  taken_bytes += message.len + message.key_len;
  const auto* holder = holder_of(message);
  if (holder == nullptr) return;
  const SourcePartition& partition = holder->first;
  SourceRecord& record = next_record();
  record.offset = core::KafkaOffset(message.offset);
  const core::Status read = decode_message_into(record.event, message);
  if (read && record.event.source == partition.service) return;
  std::string why = read ? "event of " + record.event.source : read.error().message;
  record.event = {};
  record.event.source = partition.service;
  record.event.log = partition.log;
  record.event.data = std::move(why);
}

// librdkafka 2.0.2 fetches no more when its queue is full, and looks whether there is room again
// only when something wakes the thread of that broker, at the latest after a second; only 2.2 has a
// setting for that. The one that reads slower than the broker sends would stand still most of the
// time. So when a queue that was (nearly) full runs low, the brokers are asked something.
void KafkaRecordSource::State::keep_fetching() {
  if (taken == 0 || last_holder == nullptr) return;
  const std::size_t left = rd_kafka_queue_length(queue.get());
  queued_most = std::max(queued_most, left + taken);
  const bool was_full = queued_most * (taken_bytes / taken) >= kQueueBytes / 4;
  if (left > queued_most / 4) return;
  queued_most = left;
  if (!was_full) return;
  const auto ignored = query_ends(client.get(), events_topic(last_holder->first.service),
                                  options.logs, kWakeTimeout);
  static_cast<void>(ignored);
}

core::Status KafkaRecordSource::State::flow(const SourcePartition& partition, bool paused) {
  const auto found = held.find(partition);
  if (found == held.end()) return core::success();
  found->second.paused = paused;
  if (!started) return core::success();
  const PartitionList list(rd_kafka_topic_partition_list_new(1));
  add(list.get(), partition, RD_KAFKA_OFFSET_INVALID);
  const auto error = paused ? rd_kafka_pause_partitions(client.get(), list.get())
                            : rd_kafka_resume_partitions(client.get(), list.get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return kafka_error(error, "pause or resume");
  return core::success();
}

KafkaRecordSource::KafkaRecordSource(ConsumerOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}

KafkaRecordSource::~KafkaRecordSource() = default;

core::Result<PollResult> KafkaRecordSource::poll(milliseconds timeout) {
  State& state = *state_;
  PollResult result;
  if (!state.gained.empty() || !state.lost.empty()) {
    state.hand_over(result);
    return result;
  }
  core::Status ready = state.start();
  if (ready) ready = state.carry_out_seeks();
  if (!ready) return ready.error();
  state.taken = 0;
  state.taken_bytes = 0;
  state.last_topic = nullptr;
  const auto error =
      consume(state.client.get(), state.queue.get(), timeout, state.options.batch_records,
              [&](const rd_kafka_message_t& message) { state.take(message); });
  state.keep_fetching();
  if (state.taken > 0) {
    state.records.resize(state.taken);
    result.records = std::move(state.records);
    state.records.clear();
  }
  state.hand_over(result);
  const bool nothing = result.records.empty() && result.assigned.empty() && result.revoked.empty();
  if (error && nothing) return *error;
  return result;
}

void KafkaRecordSource::give_back(std::vector<SourceRecord> records) {
  if (state_->records.empty()) state_->records = std::move(records);
}

core::Status KafkaRecordSource::seek(const SourcePartition& partition, core::KafkaOffset offset) {
  const auto found = state_->held.find(partition);
  if (found == state_->held.end()) {
    return core::unavailable("seek in a partition that this consumer has not");
  }
  found->second.seek = offset;
  return core::success();
}

core::Status KafkaRecordSource::pause(const SourcePartition& partition) {
  return state_->flow(partition, true);
}

core::Status KafkaRecordSource::resume(const SourcePartition& partition) {
  return state_->flow(partition, false);
}

void KafkaRecordSource::show_progress(const std::map<SourcePartition, core::KafkaOffset>& next) {
  if (!state_->options.shows_progress || !state_->started) return;
  const PartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(next.size())));
  for (const auto& [partition, offset] : next) state_->add(list.get(), partition, offset.value());
  constexpr int kAsynchronous = 1;
  rd_kafka_commit(state_->client.get(), list.get(), kAsynchronous);
}

core::Result<std::map<SourcePartition, core::KafkaOffset>> KafkaRecordSource::end_offsets() {
  std::map<SourcePartition, core::KafkaOffset> ends;
  for (const auto& [topic, service] : state_->service_of) {
    const auto found = query_ends(state_->client.get(), topic, state_->options.logs, kEndsTimeout);
    if (!found) return found.error();
    for (std::uint32_t log = 0; log < state_->options.logs; ++log) {
      ends[{service, core::LogIndex(log)}] = core::KafkaOffset((*found)[log]);
    }
  }
  return ends;
}

}  // namespace tideline::kafka
