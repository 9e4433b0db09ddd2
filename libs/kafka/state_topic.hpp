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
  // How long send() waits for its acknowledgements.
  std::chrono::milliseconds publish_timeout{10000};
};

// One batch at a time. The partition of a key is chosen as core::log_of chooses logs; the
// edition lies in a header of the record, which those of edition 0 do without. What a partition is
// told of positions is a record of the key "applied".
class KafkaStateSink final : public eventsourcing::StateSink {
 public:
  explicit KafkaStateSink(StateTopicOptions options);
  ~KafkaStateSink() override;

  core::Status send(const std::vector<eventsourcing::StateUpdate>& updates,
                    std::int64_t edition) override;
  core::Status send_applied(const eventsourcing::PositionVector& applied,
                            std::int64_t edition) override;
  // Waits a second at most.
  core::Result<std::vector<core::KafkaOffset>> ends() override;

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
