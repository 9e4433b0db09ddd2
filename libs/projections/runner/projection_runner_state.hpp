// The runner's state. Internal: projection_runner.cpp holds its loop, projection_load.cpp how it
// goes (back) to what is committed, projection_flush.cpp what becomes of one record and of one
// batch, projection_ends.cpp how it compares itself with the topics and with other owners. Owned by
// the runner's thread, but for `published`.
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

#include "eventsourcing/topics/partition_progress.hpp"
#include "postgres/projections/checkpoints.hpp"
#include "projections/runner/projection_runner.hpp"

namespace tideline::projections {

inline std::chrono::steady_clock::time_point steady_now() {
  return std::chrono::steady_clock::now();
}

struct ProjectionRunner::State {
  using SteadyTime = std::chrono::steady_clock::time_point;
  using milliseconds = std::chrono::milliseconds;
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

  struct Owned {
    std::int64_t generation = 0;
    core::LogPosition committed;
    core::KafkaOffset committed_offset;
    std::optional<core::KafkaOffset> shown_offset;
    eventsourcing::PartitionProgress progress;
    SteadyTime search_since;
    std::optional<SteadyTime> gap_reported;
  };
  using Partitions = std::map<eventsourcing::SourcePartition, Owned>;
  using EventPlace = std::pair<eventsourcing::SourcePartition, core::LogPosition>;
  // What the topics held at some time: since boot, for what was known before the machine slept is
  // as old as it is.
  struct Ends {
    std::chrono::nanoseconds at;
    std::map<eventsourcing::SourcePartition, core::KafkaOffset> offsets;
  };

  State(eventsourcing::Projection& projection_, RunnerPorts ports_, std::uint32_t logs_,
        RunnerOptions options_, eventsourcing::AppliedPositions& applied_,
        eventsourcing::AppliedPositions& in_memory_)
      : projection(projection_),
        ports(std::move(ports_)),
        options(std::move(options_)),
        name(options.name.empty() ? std::string(projection.name()) : options.name),
        applied(applied_),
        in_memory(in_memory_),
        durable(projection.durable()),
        policy(options.flush_policy.value_or(projection.flush_policy())),
        sources(projection.sources()),
        partitions_all(sources.size() * logs_),
        backoff(options.backoff_min) {
    applied.reset(sources, {});
    in_memory.reset(sources, {});
  }

  void step(std::stop_token stop);
  milliseconds poll_timeout() const;
  void take_assignment(const eventsourcing::PollResult& polled);
  void take_records(const std::vector<eventsourcing::SourceRecord>& records);
  void after_batch();

  bool load_due() const;
  void load();
  core::Status load_tables();
  core::Status load_memory();
  void cannot_load(const core::Error& error);
  bool replay();
  core::Status seek_all();
  void rewind(const std::string& why, milliseconds delay);
  void schedule_load(milliseconds delay);
  milliseconds next_backoff();

  bool take(const eventsourcing::SourceRecord& record);
  // To the projection, and what it throws.
  void hand_over(const eventsourcing::RecordedEvent& event);
  bool apply(const EventPlace& place, const eventsourcing::RecordedEvent& event);
  std::optional<std::string> reason_to_park(const EventPlace& place,
                                            const eventsourcing::RecordedEvent& event);
  bool park(const eventsourcing::RecordedEvent& event, std::string reason);

  bool flush();
  bool preparation_failed(const eventsourcing::Preparation& preparation);
  bool flush_failed(const core::Error& error, bool ownership_lost);
  void flush_succeeded(const std::vector<postgres::checkpoints::Step>& steps);
  std::vector<postgres::checkpoints::Step> pending_steps() const;

  void handle_gaps();
  void show_progress();
  void refresh_ends();
  bool has_all_before(
      const std::map<eventsourcing::SourcePartition, core::KafkaOffset>& wanted) const;
  void compare_with_ends();
  void look_at_checkpoints();
  eventsourcing::PositionVector memory_positions() const;
  core::Status transact(const std::function<void(sql::Transaction&)>& work);
  void log(std::string_view level, const std::string& text) const {
    if (ports.log) ports.log(level, name + ": " + text);
  }
  void reached(RunnerPoint point) const {
    if (ports.reached) ports.reached(point);
  }
  void publish_status();

  eventsourcing::Projection& projection;
  RunnerPorts ports;
  const RunnerOptions options;
  const std::string name;
  eventsourcing::AppliedPositions& applied;
  eventsourcing::AppliedPositions& in_memory;
  const bool durable;
  const eventsourcing::FlushPolicy policy;
  const std::vector<std::string> sources;
  const std::size_t partitions_all;

  Partitions owned;
  Partitions::iterator current = owned.end();  // partition of the last record
  bool ever_assigned = false;
  bool load_needed = true;
  bool tables_loaded = false;  // and parked events are being applied, before load_needed ends
  bool paused = false;
  SteadyTime load_at{};
  milliseconds backoff;

  // Since the last commit:
  std::size_t pending_events = 0;  // handed to apply()
  std::optional<EventPlace> last_applied;
  std::optional<SteadyTime> first_pending;
  std::vector<postgres::checkpoints::ParkedEvent> parking;
  std::vector<postgres::checkpoints::Replayed> replayed;

  std::vector<eventsourcing::RecordedEvent>
      to_replay;  // parked events that an operator wants applied again
  // A batch that fails for good is replayed in halves: at most so many events up to a flush.
  std::size_t batch_limit = kNoLimit;
  std::size_t bisect_remaining = 0;  // events from here on that hold the bad one
  std::map<EventPlace, std::string> poisoned;
  postgres::checkpoints::DeadLetters dead;

  std::optional<Ends> ends;           // last known
  std::optional<Ends> ends_at_start;  // since partitions came or went
  std::optional<Ends> ends_to_reach;  // until then `reached_at` is what is known
  std::optional<std::chrono::nanoseconds> reached_at;
  SteadyTime ends_asked_at{};
  std::optional<SteadyTime> progress_shown_at;
  std::map<eventsourcing::SourcePartition, postgres::checkpoints::Held>
      held;  // of all owners, as last looked at
  SteadyTime held_at{};

  const SteadyTime begun = std::chrono::steady_clock::now();
  std::string problem;         // of the database or the events
  std::string source_problem;  // of the topics
  eventsourcing::RunnerStatus counts;
  mutable std::mutex status_mutex;
  eventsourcing::RunnerStatus published;
  std::optional<std::chrono::nanoseconds> published_reached_at;
};

std::string to_text(const eventsourcing::SourcePartition& partition);

// Why the later events of a parked one's stream are parked.
inline constexpr const char* kBehindAParkedEvent = "behind a parked event of its stream";

}  // namespace tideline::projections
