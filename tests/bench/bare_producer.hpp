// The relay's peer: librdkafka's producer and nothing else, with the settings of
// kafka/producer.cpp.
#pragma once

#include <librdkafka/rdkafka.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "kafka/envelope.hpp"

namespace tideline::bench {

// A record that owns what it is made of.
struct BareRecord {
  explicit BareRecord(const eventsourcing::RecordedEvent& event)
      : partition(static_cast<std::int32_t>(event.log.value())) {
    kafka::Encoder encoder;
    const kafka::RecordView view = encoder.encode(event);
    key = view.key;
    value = view.value;
    for (const auto& header : view.headers) headers.emplace_back(header.name, header.value);
  }

  std::int32_t partition;
  std::string key;
  std::string value;
  std::vector<std::pair<std::string, std::string>> headers;
};

class BareProducer {
 public:
  BareProducer(const std::string& brokers, const std::string& topic) {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    const std::initializer_list<std::pair<const char*, const char*>> settings = {
        {"bootstrap.servers", brokers.c_str()},
        {"socket.nagle.disable", "true"},
        {"enable.idempotence", "true"},
        {"enable.gapless.guarantee", "true"},
        {"acks", "all"},
        {"message.timeout.ms", "0"},
        {"linger.ms", "1"},
        {"queue.buffering.max.messages", "1000000"},
        {"queue.buffering.max.kbytes", "262144"}};
    for (const auto& [name, value] : settings) {
      CHECK(rd_kafka_conf_set(conf, name, value, nullptr, 0) == RD_KAFKA_CONF_OK, name);
    }
    rd_kafka_conf_set_opaque(conf, this);
    rd_kafka_conf_set_dr_msg_cb(
        conf, [](rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
          CHECK(message->err == RD_KAFKA_RESP_ERR_NO_ERROR, rd_kafka_err2str(message->err));
          ++static_cast<BareProducer*>(opaque)->delivered_;
        });
    client_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
    CHECK(client_ != nullptr, "the settings are good");
    topic_ = rd_kafka_topic_new(client_, topic.c_str(), nullptr);
  }
  ~BareProducer() {
    rd_kafka_topic_destroy(topic_);
    rd_kafka_destroy(client_);
  }
  BareProducer(const BareProducer&) = delete;
  BareProducer& operator=(const BareProducer&) = delete;

  void produce(const BareRecord& record) {
    while (!try_to_produce(record)) poll(1);
    poll(0);
  }
  void poll(int ms) { rd_kafka_poll(client_, ms); }
  std::size_t delivered() const { return delivered_; }

 private:
  bool try_to_produce(const BareRecord& record) {
    rd_kafka_headers_t* headers = rd_kafka_headers_new(record.headers.size());
    for (const auto& [name, value] : record.headers) {
      rd_kafka_header_add(headers, name.data(), static_cast<ssize_t>(name.size()), value.data(),
                          static_cast<ssize_t>(value.size()));
    }
    const auto error = rd_kafka_producev(
        client_, RD_KAFKA_V_RKT(topic_), RD_KAFKA_V_PARTITION(record.partition),
        RD_KAFKA_V_KEY(record.key.data(), record.key.size()),
        RD_KAFKA_V_VALUE(const_cast<char*>(record.value.data()), record.value.size()),
        RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return true;
    rd_kafka_headers_destroy(headers);
    CHECK(error == RD_KAFKA_RESP_ERR__QUEUE_FULL, rd_kafka_err2str(error));
    return false;
  }

  std::size_t delivered_ = 0;
  rd_kafka_t* client_ = nullptr;
  rd_kafka_topic_t* topic_ = nullptr;
};

}  // namespace tideline::bench
