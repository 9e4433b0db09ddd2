// Reading by hand, for the relay: the last events of partitions, and new gap reports. Internal to
// libs/kafka; each object is used by one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "eventsourcing/events/event.hpp"
#include "kafka/brokers.hpp"
#include "kafka/gaps.hpp"

namespace tideline::kafka {

// What the end of a partition says about how far its log has been published.
struct PartitionTail {
  // Of the events read, the one with the highest position; nullopt: the partition is empty.
  std::optional<eventsourcing::RecordedEvent> newest;
  // No event is missing up to here, given that none was up to the checkpoint when that was
  // recorded. Behind it there may be more, with holes.
  core::LogPosition reached;
  core::KafkaOffset end;
};

class PartitionTails {
 public:
  using Checkpoints = std::map<core::LogIndex, core::LogPosition>;
  using Tails = std::map<core::LogIndex, PartitionTail>;

  PartitionTails(const Brokers& brokers, std::string topic, std::uint32_t partitions);
  ~PartitionTails();

  // Reads each partition of `checkpoints` back to an event at or before its checkpoint. A partition
  // whose last records are all something else than events is an Error. Blocks for a few times
  // `timeout` at most.
  core::Result<Tails> read(const Checkpoints& checkpoints, std::chrono::milliseconds timeout);

  // One past the last record of each partition, by log. Blocks, at most for `timeout`.
  core::Result<std::vector<std::int64_t>> ends(std::chrono::milliseconds timeout);

 private:
  struct Window;

  core::Status read_windows(std::map<core::LogIndex, Window>& windows,
                            std::chrono::milliseconds timeout);

  struct State;
  std::unique_ptr<State> state_;
};

class GapReports {
 public:
  explicit GapReports(const Brokers& brokers);
  ~GapReports();

  // Those that came since the last call; never blocks. Reports from before the first call are not
  // seen: whoever still waits reports again.
  std::vector<GapReport> take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tideline::kafka
