// Events from Kafka, as the port that projection runners read from. Owned by one thread.
//
// Offsets that it commits are for the eyes of Kafka's tools alone, and it never decides where to
// begin: no record of a partition is delivered until the runner has sought all partitions that it
// was assigned. An offset that the partition does not hold begins at its first record; the runner
// passes over what it knows.
//
// A record that is no event (foreign, or its envelope broken) is handed on with type "", position 0
// and the reason in `data`: the runner passes over it. If it stood in the place of an event, the
// next record shows the gap, and the relay publishes that event again.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eventsourcing/topics/record_source.hpp"
#include "kafka/brokers.hpp"

namespace tideline::kafka {

struct ConsumerOptions {
  Brokers brokers;
  std::vector<std::string> services;
  std::uint32_t logs = 16;  // partitions of each service's topic
  // "" = all partitions of all services belong to this consumer (manual assignment). Otherwise the
  // consumer group that shares them among its members.
  std::string group = {};
  std::string client_id = "tideline-consumer";
  // Whether show_progress() commits: under the group, or for who has none under the client id.
  bool shows_progress = false;
  // What one poll() hands on at most.
  std::size_t batch_records = 500;
  // A member that has died gives up its partitions after this.
  std::chrono::milliseconds session_timeout{6000};
  // One that has not polled for so long gives them up too; not below session_timeout.
  std::chrono::milliseconds max_poll_interval{300000};
};

class KafkaRecordSource final : public eventsourcing::RecordSource {
 public:
  // Connects in the background: brokers that are away show as Errors of poll() and end_offsets().
  // Options that the client refuses are a bug (CHECK).
  explicit KafkaRecordSource(ConsumerOptions options);
  ~KafkaRecordSource() override;  // leaves the group; blocks shortly

  core::Result<eventsourcing::PollResult> poll(std::chrono::milliseconds timeout) override;
  void give_back(std::vector<eventsourcing::SourceRecord> records) override;
  // Seeks take effect with the next poll().
  core::Status seek(const eventsourcing::SourcePartition& partition,
                    core::KafkaOffset offset) override;
  core::Status pause(const eventsourcing::SourcePartition& partition) override;
  core::Status resume(const eventsourcing::SourcePartition& partition) override;
  void show_progress(
      const std::map<eventsourcing::SourcePartition, core::KafkaOffset>& next) override;
  // Asks the brokers; blocks for at most two seconds.
  core::Result<std::map<eventsourcing::SourcePartition, core::KafkaOffset>> end_offsets() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tideline::kafka
