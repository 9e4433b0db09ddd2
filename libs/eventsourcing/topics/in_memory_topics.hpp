// Topics in memory: what the relay and the consumer do over Kafka, for tests and without threads of
// their own. Thread-safe; must outlive its sources.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "eventsourcing/store/event_store.hpp"
#include "eventsourcing/topics/record_source.hpp"

namespace tideline::eventsourcing {

class InMemoryTopics {
 public:
  explicit InMemoryTopics(std::uint32_t logs) : logs_(logs) {}

  // Puts the event at the end of partition `event.log` of its source's topic, whatever its position
  // is (repeats, gaps: the caller's choice). A private event becomes a stub.
  core::KafkaOffset publish(RecordedEvent event);
  // What a relay does: publishes what `log` holds above the highest position that the topic of
  // `service` has. Returns how many.
  core::Result<std::size_t> publish_from(EventLog& log, const std::string& service);

  // A consumer of all partitions of `services`.
  std::unique_ptr<RecordSource> source(std::vector<std::string> services);
  // A member of a group that gets none of their partitions for now.
  std::unique_ptr<RecordSource> spare_source(std::vector<std::string> services);

  // As a rebalance would: every source loses the partition, or gets it (back), at its next poll.
  void revoke(const SourcePartition& partition);
  void assign(const SourcePartition& partition);
  // The next `count` polls of every source fail.
  void fail_polls(std::size_t count);
  // From now on nobody says where the topics end, or again.
  void hide_ends(bool hidden);
  // As when the broker was put back to an older copy: what lies behind `records` is gone.
  void truncate(const SourcePartition& partition, std::size_t records);
  // Of all sources so far.
  std::size_t polls() const;
  // How often they asked where the topics end, and told how far they are.
  std::size_t end_questions() const;
  std::size_t progress_shown() const;

 private:
  class Source;
  struct Change {
    SourcePartition partition;
    bool assigned;
  };

  const std::uint32_t logs_;
  mutable std::mutex mutex_;
  std::condition_variable published_;
  std::map<SourcePartition, std::vector<SourceRecord>> partitions_;
  std::vector<Change> changes_;
  std::size_t failing_polls_ = 0;
  std::size_t polls_ = 0;
  std::size_t end_questions_ = 0;
  std::size_t progress_shown_ = 0;
  bool ends_hidden_ = false;
};

}  // namespace tideline::eventsourcing
