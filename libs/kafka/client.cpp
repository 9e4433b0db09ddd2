#include "kafka/client.hpp"

#include <librdkafka/rdkafka.h>

#include <array>

#include "core/check.hpp"

namespace tideline::kafka {

void Release::operator()(rd_kafka_s* client) const { rd_kafka_destroy(client); }
void Release::operator()(rd_kafka_conf_s* settings) const { rd_kafka_conf_destroy(settings); }
void Release::operator()(rd_kafka_queue_s* queue) const { rd_kafka_queue_destroy(queue); }
void Release::operator()(rd_kafka_topic_s* topic) const { rd_kafka_topic_destroy(topic); }
void Release::operator()(rd_kafka_topic_partition_list_s* list) const {
  rd_kafka_topic_partition_list_destroy(list);
}

namespace {

void set(rd_kafka_conf_t* conf, const std::string& name, const std::string& value) {
  std::array<char, 256> why{};
  const auto result = rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why.data(), why.size());
  CHECK(result == RD_KAFKA_CONF_OK, why.data());
}

Client make(rd_kafka_type_t type, ClientConf conf) {
  std::array<char, 256> why{};
  rd_kafka_t* client = rd_kafka_new(type, conf.get(), why.data(), why.size());
  CHECK(client != nullptr, why.data());
  conf.release();  // the client's now
  return Client(client);
}

}  // namespace

ClientConf make_conf(const Brokers& brokers, const std::string& client_id,
                     const Settings& settings) {
  ClientConf conf(rd_kafka_conf_new());
  rd_kafka_conf_set_log_cb(conf.get(), [](const rd_kafka_t*, int, const char*, const char*) {});
  set(conf.get(), "bootstrap.servers", brokers.addresses);
  set(conf.get(), "client.id", client_id);
  set(conf.get(), "socket.keepalive.enable", "true");
  set(conf.get(), "socket.nagle.disable", "true");
  // A broker whose host was lost says nothing: what it was asked is asked elsewhere after that.
  set(conf.get(), "socket.timeout.ms", "10000");
  set(conf.get(), "reconnect.backoff.ms", "50");
  set(conf.get(), "reconnect.backoff.max.ms", "1000");
  // A member of a group that finds its topics missing gets nothing until it looks again: brokers
  // that came back without their data have them made within seconds.
  set(conf.get(), "topic.metadata.refresh.interval.ms", "5000");
  for (const auto& [name, value] : brokers.security) set(conf.get(), name, value);
  for (const auto& [name, value] : settings) set(conf.get(), name, value);
  return conf;
}

Client make_producer(ClientConf conf) { return make(RD_KAFKA_PRODUCER, std::move(conf)); }

Client make_consumer(ClientConf conf) {
  Client client = make(RD_KAFKA_CONSUMER, std::move(conf));
  rd_kafka_poll_set_consumer(client.get());
  return client;
}

Settings reader_settings() {
  return {
      {"group.id", "tideline-unused"},  // librdkafka wants one even for manual assignment
      {"enable.auto.commit", "false"},
      {"enable.auto.offset.store", "false"},
      {"auto.offset.reset", "earliest"},
      {"isolation.level", "read_uncommitted"},
      // A fetch returns with the first byte; the wait bounds how long a seek waits for the fetch
      // that is under way.
      {"fetch.wait.max.ms", "50"},
      {"fetch.error.backoff.ms", "50"},
      // Bytes alone bound what waits in memory. A fetch takes little of each partition, so that it
      // does not go far beyond them.
      {"queued.min.messages", "1000000"},
      {"queued.max.messages.kbytes", std::to_string(kQueueBytes / 1024)},
      {"fetch.message.max.bytes", "262144"},
  };
}

core::Error kafka_error(int code, const std::string& doing) {
  const auto error = static_cast<rd_kafka_resp_err_t>(code);
  const std::string message = doing + ": " + rd_kafka_err2str(error);
  switch (error) {
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
      return core::timed_out(message);
    case RD_KAFKA_RESP_ERR__INVALID_ARG:
    case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
    case RD_KAFKA_RESP_ERR_INVALID_PARTITIONS:
    case RD_KAFKA_RESP_ERR_INVALID_CONFIG:
      return core::invalid_input(message);
    default:
      return core::unavailable(message);
  }
}

core::Result<std::vector<std::int64_t>> query_ends(rd_kafka_s* client, const std::string& topic,
                                                   std::uint32_t partitions,
                                                   std::chrono::milliseconds timeout) {
  const auto count = static_cast<int>(partitions);
  const PartitionList list(rd_kafka_topic_partition_list_new(count));
  rd_kafka_topic_partition_list_add_range(list.get(), topic.c_str(), 0, count - 1);
  for (int i = 0; i < count; ++i) list->elems[i].offset = RD_KAFKA_OFFSET_END;
  const auto error =
      rd_kafka_offsets_for_times(client, list.get(), static_cast<int>(timeout.count()));
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return kafka_error(error, "ends of " + topic);
  std::vector<std::int64_t> ends(partitions);
  for (int i = 0; i < count; ++i) {
    const rd_kafka_topic_partition_t& one = list->elems[i];
    if (one.err != RD_KAFKA_RESP_ERR_NO_ERROR) return kafka_error(one.err, "ends of " + topic);
    ends.at(static_cast<std::size_t>(one.partition)) = one.offset;
  }
  return ends;
}

std::optional<core::Error> consume(rd_kafka_s* client, rd_kafka_queue_s* queue,
                                   std::chrono::milliseconds timeout, std::size_t count_max,
                                   const std::function<void(const rd_kafka_message_s&)>& visit) {
  std::optional<core::Error> error;
  const auto take = [&](rd_kafka_message_t* message) {
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR ||
        message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      visit(*message);
    } else {
      error = kafka_error(message->err, "fetch");
    }
    rd_kafka_message_destroy(message);
  };
  // The batch call alone would wait out the timeout unless its batch is full.
  rd_kafka_message_t* first = rd_kafka_consumer_poll(client, static_cast<int>(timeout.count()));
  if (first == nullptr) return error;
  take(first);
  std::vector<rd_kafka_message_t*> batch(count_max > 1 ? count_max - 1 : 0);
  const auto count = rd_kafka_consume_batch_queue(queue, 0, batch.data(), batch.size());
  for (std::ptrdiff_t i = 0; i < count; ++i) take(batch[static_cast<std::size_t>(i)]);
  return error;
}

}  // namespace tideline::kafka
