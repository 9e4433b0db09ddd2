// Where events come from: a consumer of topics as a port. The Kafka adapter is kafka/consumer.hpp;
// tests use in_memory_topics.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "eventsourcing/events/event.hpp"

namespace tideline::eventsourcing {

// One log of one service, which is one partition of its topic.
struct SourcePartition {
  std::string service;
  core::LogIndex log;

  friend auto operator<=>(const SourcePartition&, const SourcePartition&) = default;
};

// How far a partition has been applied.
struct PartitionPlace {
  core::LogPosition position;     // of the last event
  core::KafkaOffset next_offset;  // where the next record is expected: a hint

  friend bool operator==(const PartitionPlace&, const PartitionPlace&) = default;
};
using PartitionPlaces = std::map<SourcePartition, PartitionPlace>;

struct SourceRecord {
  RecordedEvent event;
  core::KafkaOffset offset;
};

struct PollResult {
  std::vector<SourceRecord> records;
  // Partitions that this consumer has got and lost since the last poll. `revoked` comes first: what
  // was gathered for them must be dropped before the records are looked at.
  std::vector<SourcePartition> revoked;
  std::vector<SourcePartition> assigned;
};

// Owned by one thread.
class RecordSource {
 public:
  virtual ~RecordSource() = default;

  // Waits at most `timeout` for the first record. An Error is transient: poll again.
  virtual core::Result<PollResult> poll(std::chrono::milliseconds timeout) = 0;
  // The storage of records that were polled and are done with, for the next poll() to fill: an
  // event holds half a dozen strings, which need not be allocated for each one again.
  virtual void give_back(std::vector<SourceRecord>) {}
  // The next record polled of this partition is the one at `offset` (or the first one after it).
  virtual core::Status seek(const SourcePartition& partition, core::KafkaOffset offset) = 0;
  virtual core::Status pause(const SourcePartition& partition) = 0;
  virtual core::Status resume(const SourcePartition& partition) = 0;
  // Shows those who run the topics how far this reader is: where it will read on in each of these
  // partitions. For their tools alone; nobody begins there. Does not wait, and what fails is not
  // said.
  virtual void show_progress(const std::map<SourcePartition, core::KafkaOffset>&) {}
  // One past the last record of each partition of this source.
  virtual core::Result<std::map<SourcePartition, core::KafkaOffset>> end_offsets() = 0;
};

}  // namespace tideline::eventsourcing
