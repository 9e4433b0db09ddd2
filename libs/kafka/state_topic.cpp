#include "kafka/state_topic.hpp"

#include <librdkafka/rdkafka.h>

#include <charconv>
#include <mutex>
#include <optional>
#include <utility>

#include "core/check.hpp"
#include "kafka/client.hpp"

namespace tideline::kafka {

using eventsourcing::PositionVector;
using eventsourcing::StatePoll;
using eventsourcing::StateRecord;
using eventsourcing::StateUpdate;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t kBatch = 2000;
constexpr milliseconds kSeekTimeout{2000};
constexpr milliseconds kStateEndsTimeout{1000};
constexpr const char* kEditionHeader = "tideline_edition";
// No key of a state.
constexpr std::string_view kAppliedKey = "applied";

// What one send() waits for.
struct Delivery {
  std::size_t open = 0;
  std::optional<core::Error> error;
};

void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void*) {
  Delivery& delivery = *static_cast<Delivery*>(message->_private);
  --delivery.open;
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    delivery.error = kafka_error(message->err, "publication of a state");
  }
}

// 0 where the record does not say.
std::int64_t edition_of(const rd_kafka_message_t& message) {
  rd_kafka_headers_t* headers = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR ||
      rd_kafka_header_get_last(headers, kEditionHeader, &value, &size) !=
          RD_KAFKA_RESP_ERR_NO_ERROR) {
    return 0;
  }
  const auto* const text = static_cast<const char*>(value);
  std::int64_t edition = 0;
  std::from_chars(text, text + size, edition);
  return edition;
}

}  // namespace

struct KafkaStateSink::State {
  explicit State(StateTopicOptions options_) : options(std::move(options_)) { renew(); }
  ~State() { topic.reset(); }

  // An idempotent producer that a broker without its data has led astray may refuse for good.
  void renew();
  struct Record;
  core::Status send(const std::vector<Record>& records, std::int64_t edition);

  const StateTopicOptions options;
  std::mutex mutex;  // of all that follows
  Client client;
  ClientTopic topic;
};

void KafkaStateSink::State::renew() {
  ClientConf conf = make_conf(
      options.brokers, options.client_id,
      {{"enable.idempotence", "true"},
       {"acks", "all"},
       {"linger.ms", "1"},
       // Every record has its report by then, so that none refers to a send() that has returned.
       {"message.timeout.ms", std::to_string(options.publish_timeout.count())}});
  rd_kafka_conf_set_dr_msg_cb(conf.get(), on_delivery);
  topic.reset();
  client = make_producer(std::move(conf));
  topic.reset(rd_kafka_topic_new(client.get(), options.topic.c_str(), nullptr));
  CHECK(topic != nullptr, "the name of a topic is ours");
}

KafkaStateSink::KafkaStateSink(StateTopicOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}

KafkaStateSink::~KafkaStateSink() = default;

struct KafkaStateSink::State::Record {
  core::LogIndex partition;
  std::string_view key;
  const std::string* value;  // nullptr: a tombstone
};

core::Status KafkaStateSink::State::send(const std::vector<Record>& records, std::int64_t edition) {
  const std::lock_guard lock(mutex);
  Delivery delivery;
  const std::string number = edition > 0 ? std::to_string(edition) : "";
  for (const Record& record : records) {
    // A null value, other than an empty one, is a tombstone.
    void* value = record.value == nullptr ? nullptr : const_cast<char*>(record.value->data());
    const std::size_t size = record.value == nullptr ? 0 : record.value->size();
    rd_kafka_headers_t* headers = nullptr;
    if (!number.empty()) {
      headers = rd_kafka_headers_new(1);
      rd_kafka_header_add(headers, kEditionHeader, -1, number.data(),
                          static_cast<ssize_t>(number.size()));
    }
    const auto error = rd_kafka_producev(
        client.get(), RD_KAFKA_V_RKT(topic.get()),
        RD_KAFKA_V_PARTITION(static_cast<std::int32_t>(record.partition.value())),
        RD_KAFKA_V_KEY(record.key.data(), record.key.size()), RD_KAFKA_V_VALUE(value, size),
        RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_OPAQUE(&delivery),
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
      ++delivery.open;
      rd_kafka_poll(client.get(), 0);
      continue;
    }
    if (headers != nullptr) rd_kafka_headers_destroy(headers);  // taken over by success alone
    delivery.error = kafka_error(error, "publication of a state");
    break;
  }
  while (delivery.open > 0) rd_kafka_poll(client.get(), 10);
  if (!delivery.error) return core::success();
  renew();
  return *delivery.error;
}

core::Status KafkaStateSink::send(const std::vector<StateUpdate>& updates, std::int64_t edition) {
  std::vector<State::Record> records;
  records.reserve(updates.size());
  for (const StateUpdate& update : updates) {
    records.push_back({core::log_of(update.key, state_->options.partitions), update.key,
                       update.value ? &*update.value : nullptr});
  }
  return state_->send(records, edition);
}

core::Status KafkaStateSink::send_applied(const eventsourcing::PositionVector& applied,
                                          std::int64_t edition) {
  const std::string token = applied.to_token();
  std::vector<State::Record> records;
  for (std::uint32_t i = 0; i < state_->options.partitions; ++i) {
    records.push_back({core::LogIndex(i), kAppliedKey, &token});
  }
  return state_->send(records, edition);
}

core::Result<std::vector<core::KafkaOffset>> KafkaStateSink::ends() {
  const std::lock_guard lock(state_->mutex);
  const auto known = query_ends(state_->client.get(), state_->options.topic,
                                state_->options.partitions, kStateEndsTimeout);
  if (!known) return known.error();
  return std::vector<core::KafkaOffset>(known->begin(), known->end());
}

struct KafkaStateSource::State {
  const StateTopicOptions options;
  std::vector<std::optional<core::KafkaOffset>> seeks;  // still to be carried out
  bool started = false;
  Client client;
  ClientQueue queue;

  core::Status carry_out_seeks();
};

KafkaStateSource::KafkaStateSource(StateTopicOptions options) {
  Settings settings = reader_settings();
  settings.emplace_back("enable.partition.eof", "true");
  Client client = make_consumer(make_conf(options.brokers, options.client_id, settings));
  ClientQueue queue(rd_kafka_queue_get_consumer(client.get()));
  const std::size_t partitions = options.partitions;
  state_ = std::unique_ptr<State>(
      new State{std::move(options), std::vector<std::optional<core::KafkaOffset>>(partitions),
                false, std::move(client), std::move(queue)});
}

KafkaStateSource::~KafkaStateSource() {
  state_->queue.reset();
  rd_kafka_consumer_close(state_->client.get());
}

std::uint32_t KafkaStateSource::partitions() const { return state_->options.partitions; }

core::Status KafkaStateSource::State::carry_out_seeks() {
  const PartitionList list(rd_kafka_topic_partition_list_new(1));
  for (std::size_t i = 0; i < seeks.size(); ++i) {
    if (!seeks[i]) continue;
    rd_kafka_topic_partition_list_add(list.get(), options.topic.c_str(),
                                      static_cast<std::int32_t>(i))
        ->offset = seeks[i]->value();
  }
  if (list->cnt == 0) return core::success();
  if (!started) {
    if (static_cast<std::size_t>(list->cnt) < seeks.size()) return core::success();
    const auto error = rd_kafka_assign(client.get(), list.get());
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return kafka_error(error, "assignment");
    started = true;
    seeks.assign(seeks.size(), std::nullopt);
    return core::success();
  }
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
    if (one.err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      seeks.at(static_cast<std::size_t>(one.partition)).reset();
    } else {
      status = kafka_error(one.err, "seek");
    }
  }
  return status;
}

core::Result<StatePoll> KafkaStateSource::poll(milliseconds timeout) {
  const core::Status ready = state_->carry_out_seeks();
  if (!ready) return ready.error();
  StatePoll result;
  const auto error = consume(
      state_->client.get(), state_->queue.get(), timeout, kBatch,
      [&](const rd_kafka_message_t& message) {
        const auto partition = static_cast<std::uint32_t>(message.partition);
        if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
          result.ends_reached.insert_or_assign(partition, core::KafkaOffset(message.offset));
          return;
        }
        result.ends_reached.erase(partition);  // another end is told behind this record
        StateRecord record{partition,
                           core::KafkaOffset(message.offset),
                           edition_of(message),
                           {static_cast<const char*>(message.key), message.key_len},
                           std::nullopt};
        if (message.payload != nullptr) {
          record.value.emplace(static_cast<const char*>(message.payload), message.len);
        }
        if (record.key == kAppliedKey) {
          record.applied =
              PositionVector::from_token(record.value.value_or("")).value_or(PositionVector());
        }
        result.records.push_back(std::move(record));
      });
  if (error && result.records.empty() && result.ends_reached.empty()) return *error;
  return result;
}

core::Status KafkaStateSource::seek(std::uint32_t partition, core::KafkaOffset offset) {
  state_->seeks.at(partition) = offset;
  return core::success();
}

}  // namespace tideline::kafka
