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
#include "eventsourcing/event.hpp"
#include "kafka/gaps.hpp"

namespace tideline::kafka {

class PartitionTails {
 public:
  PartitionTails(const std::string& brokers, std::string topic, std::uint32_t partitions);
  ~PartitionTails();

  // The last record of each partition that is an event; nullopt for an empty partition. A partition
  // whose last records are all something else is an Error. Blocks, at most for `timeout`.
  core::Result<std::map<core::LogIndex, std::optional<eventsourcing::RecordedEvent>>> last_events(
      const std::vector<core::LogIndex>& logs, std::chrono::milliseconds timeout);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class GapReports {
 public:
  explicit GapReports(const std::string& brokers);
  ~GapReports();

  // Those that came since the last call; never blocks. Reports from before the first call are not
  // seen: whoever still waits reports again.
  std::vector<GapReport> take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tideline::kafka
