#include "kafka/producer.hpp"

#include <librdkafka/rdkafka.h>

#include <array>
#include <utility>

#include "core/check.hpp"
#include "kafka/client.hpp"
#include "kafka/envelope.hpp"
#include "kafka/topics.hpp"

namespace tideline::kafka {
namespace {

static_assert(sizeof(void*) >= sizeof(std::uint64_t), "a position travels in a message's opaque");

void* to_opaque(core::LogPosition position) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(position.value()));
}

core::LogPosition from_opaque(void* opaque) {
  return core::LogPosition(reinterpret_cast<std::uintptr_t>(opaque));
}

}  // namespace

struct LogProducer::State {
  static void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
    State& state = *static_cast<State*>(opaque);
    Report report{core::LogIndex(static_cast<std::uint32_t>(message->partition)),
                  from_opaque(message->_private), message->offset, ""};
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      state.problem.clear();
    } else {
      report.error = rd_kafka_err2str(message->err);
    }
    state.on_report(report);
  }

  static void on_error(rd_kafka_t* client, int code, const char* reason, void* opaque) {
    State& state = *static_cast<State*>(opaque);
    state.problem = reason;
    if (code != RD_KAFKA_RESP_ERR__FATAL) return;
    std::array<char, 512> why{};
    rd_kafka_fatal_error(client, why.data(), why.size());
    state.fatal = why.data();
  }

  std::function<void(const Report&)> on_report;
  Encoder encoder;
  std::string fatal;
  std::string problem;
  Client client;
  ClientTopic topic;
};

LogProducer::LogProducer(const Brokers& brokers, const std::string& client_id,
                         const std::string& topic, std::function<void(const Report&)> on_report)
    : state_(std::make_unique<State>()) {
  state_->on_report = std::move(on_report);
  ClientConf conf = make_conf(brokers, client_id,
                              {{"enable.idempotence", "true"},
                               // A record that a broker refuses for good must not be followed by
                               // the next one.
                               {"enable.gapless.guarantee", "true"},
                               {"acks", "all"},
                               // A record waits for its broker as long as it takes: giving one up
                               // would tear a hole.
                               {"message.timeout.ms", "0"},
                               {"linger.ms", "1"},
                               {"retry.backoff.ms", "50"},
                               {"message.max.bytes", std::to_string(kRecordBytesMax)},
                               {"queue.buffering.max.messages", "1000000"},
                               {"queue.buffering.max.kbytes", "262144"}});
  rd_kafka_conf_set_opaque(conf.get(), state_.get());
  rd_kafka_conf_set_dr_msg_cb(conf.get(), State::on_delivery);
  rd_kafka_conf_set_error_cb(conf.get(), State::on_error);
  state_->client = make_producer(std::move(conf));
  state_->topic = ClientTopic(rd_kafka_topic_new(state_->client.get(), topic.c_str(), nullptr));
  CHECK(state_->topic != nullptr, "the name of a topic is ours");
}

LogProducer::~LogProducer() {
  rd_kafka_purge(state_->client.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT |
                                           RD_KAFKA_PURGE_F_NON_BLOCKING);
  state_->topic.reset();
}

core::Result<bool> LogProducer::produce(const eventsourcing::RecordedEvent& event) {
  const RecordView record = state_->encoder.encode(event);
  rd_kafka_headers_t* headers = rd_kafka_headers_new(record.headers.size());
  for (const HeaderView& header : record.headers) {
    rd_kafka_header_add(headers, header.name.data(), static_cast<ssize_t>(header.name.size()),
                        header.value.data(), static_cast<ssize_t>(header.value.size()));
  }
  const auto error = rd_kafka_producev(
      state_->client.get(), RD_KAFKA_V_RKT(state_->topic.get()),
      RD_KAFKA_V_PARTITION(static_cast<std::int32_t>(event.log.value())),
      RD_KAFKA_V_KEY(record.key.data(), record.key.size()),
      RD_KAFKA_V_VALUE(const_cast<char*>(record.value.data()), record.value.size()),
      RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_OPAQUE(to_opaque(event.position)),
      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return true;
  rd_kafka_headers_destroy(headers);  // the client takes them over only when it takes the record
  if (error == RD_KAFKA_RESP_ERR__QUEUE_FULL) return false;
  return kafka_error(error, "position " + std::to_string(event.position.value()) + " of log " +
                                std::to_string(event.log.value()));
}

void LogProducer::poll(std::chrono::milliseconds timeout) {
  rd_kafka_poll(state_->client.get(), static_cast<int>(timeout.count()));
}

const std::string& LogProducer::fatal() const { return state_->fatal; }
const std::string& LogProducer::problem() const { return state_->problem; }

}  // namespace tideline::kafka
