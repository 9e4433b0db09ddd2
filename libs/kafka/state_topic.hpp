// Compacted topics of latest states in Kafka: adapters of
// eventsourcing/projections/state_topic.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eventsourcing/projections/state_topic.hpp"
#include "kafka/brokers.hpp"

namespace tideline::kafka {

struct StateTopicOptions {
  Brokers brokers;
  std::string topic;
  std::uint32_t partitions = 16;
  std::string client_id = "tideline-state-topic";
  // How long publish() waits for its acknowledgements.
  std::chrono::milliseconds publish_timeout{10000};
};

// Thread-safe; one batch at a time. The partition of a key is chosen as core::log_of chooses logs.
class KafkaStatePublisher final : public eventsourcing::StatePublisher {
 public:
  explicit KafkaStatePublisher(StateTopicOptions options);
  ~KafkaStatePublisher() override;

  core::Status publish(const std::vector<eventsourcing::StateUpdate>& updates) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Owned by one thread. Reads every partition of the topic.
class KafkaStateSource final : public eventsourcing::StateSource {
 public:
  explicit KafkaStateSource(StateTopicOptions options);
  ~KafkaStateSource() override;

  std::uint32_t partitions() const override;
  core::Result<eventsourcing::StatePoll> poll(std::chrono::milliseconds timeout) override;
  core::Status seek(std::uint32_t partition, core::KafkaOffset offset) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tideline::kafka
