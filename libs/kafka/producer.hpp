// An idempotent producer for the logs of one service. Internal to libs/kafka; used by one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "eventsourcing/events/event.hpp"
#include "kafka/brokers.hpp"

namespace tideline::kafka {

class LogProducer {
 public:
  struct Report {
    core::LogIndex log;
    core::LogPosition position;
    std::int64_t offset = -1;  // -1: the broker has it, but where is not known
    std::string error;         // "" = delivered
  };

  // `on_report` is called from poll(), for each record in the order of its partition.
  LogProducer(const Brokers& brokers, const std::string& client_id, const std::string& topic,
              std::function<void(const Report&)> on_report);
  // Drops what was not delivered, without reports.
  ~LogProducer();

  // False: the queue is full, poll() first. An Error will not go away by itself.
  core::Result<bool> produce(const eventsourcing::RecordedEvent& event);
  void poll(std::chrono::milliseconds timeout);

  // Set once the producer cannot go on; "" = sound.
  const std::string& fatal() const;
  // Last trouble with brokers since the last report of a delivery; "" = none.
  const std::string& problem() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tideline::kafka
