// The runner's state. Internal: projection_runner.cpp holds its loop, projection_flush.cpp what
// becomes of one record and of one batch. Owned by the runner's thread, but for `published`.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eventsourcing/partition_progress.hpp"
#include "eventsourcing/projection_checkpoints.hpp"
#include "eventsourcing/projection_runner.hpp"

namespace tideline::eventsourcing {

struct ProjectionRunner::State {
  using SteadyTime = std::chrono::steady_clock::time_point;
  using milliseconds = std::chrono::milliseconds;
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

  struct Owned {
    std::int64_t generation = 0;
    core::LogPosition committed;
    PartitionProgress progress;
    SteadyTime search_since;
    std::optional<SteadyTime> gap_reported;
  };
  using Partitions = std::map<SourcePartition, Owned>;
  using EventPlace = std::pair<SourcePartition, core::LogPosition>;

  State(Projection& projection_, RunnerPorts ports_, std::uint32_t logs_, RunnerOptions options_,
        AppliedPositions& applied_, AppliedPositions& in_memory_)
      : projection(projection_),
        ports(std::move(ports_)),
        options(options_),
        applied(applied_),
        in_memory(in_memory_),
        durable(projection.durable()),
        policy(projection.flush_policy()),
        sources(projection.sources()),
        partitions_all(sources.size() * logs_),
        backoff(options.backoff_min) {
    applied.reset(sources, {});
    in_memory.reset(sources, {});
  }

  void step(std::stop_token stop);
  milliseconds poll_timeout() const;
  void take_assignment(const PollResult& polled);
  void take_records(const std::vector<SourceRecord>& records);
  void after_batch();

  void load();
  core::Status load_tables();
  core::Status seek_all();
  void rewind(const std::string& why, milliseconds delay);
  void schedule_load(milliseconds delay);
  milliseconds next_backoff();

  bool take(const SourceRecord& record);
  bool apply(const EventPlace& place, const RecordedEvent& event);
  std::optional<std::string> reason_to_park(const EventPlace& place, const RecordedEvent& event);
  bool park(const RecordedEvent& event, std::string reason);

  bool flush();
  bool preparation_failed(const Preparation& preparation);
  bool flush_failed(const core::Error& error, bool ownership_lost);
  void flush_succeeded(const std::vector<checkpoints::Step>& steps);
  std::vector<checkpoints::Step> pending_steps() const;

  void handle_gaps();
  void refresh_ends();
  void check_caught_up();
  void refresh_other_owners();
  PositionVector memory_positions() const;
  core::Status transact(const std::function<void(Transaction&)>& work);
  void log(std::string_view level, const std::string& text) const {
    if (ports.log) ports.log(level, std::string(projection.name()) + ": " + text);
  }
  void publish_status();

  Projection& projection;
  RunnerPorts ports;
  const RunnerOptions options;
  AppliedPositions& applied;
  AppliedPositions& in_memory;
  const bool durable;
  const FlushPolicy policy;
  const std::vector<std::string> sources;
  const std::size_t partitions_all;

  Partitions owned;
  Partitions::iterator current = owned.end();  // partition of the last record
  bool load_needed = true;
  bool paused = false;
  SteadyTime load_at{};
  milliseconds backoff;

  // Since the last commit:
  std::size_t pending_events = 0;  // handed to apply()
  std::optional<EventPlace> last_applied;
  std::optional<SteadyTime> first_pending;
  std::vector<checkpoints::ParkedEvent> parking;

  // A batch that fails for good is replayed in halves: at most so many events up to a flush.
  std::size_t batch_limit = kNoLimit;
  std::size_t suspects = 0;  // events from here on that hold the bad one
  std::map<EventPlace, std::string> condemned;
  checkpoints::DeadLetters dead;

  std::map<SourcePartition, core::KafkaOffset> ends;           // last known
  std::map<SourcePartition, core::KafkaOffset> ends_at_start;  // empty until known
  bool ends_at_start_known = false;
  SteadyTime ends_at{};
  SteadyTime others_at{};

  std::string problem;         // of the database or the events
  std::string source_problem;  // of the topics
  RunnerStatus counts;
  mutable std::mutex status_mutex;
  RunnerStatus published;
};

std::string to_text(const SourcePartition& partition);

}  // namespace tideline::eventsourcing
