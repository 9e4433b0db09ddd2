// Runs one projection on one thread: consume, check positions, apply, flush with checkpoint.
//
// Laws: the read model, the next offset and the last position of every partition change in one
// transaction; a record whose position is not above the last is skipped; one that is more than one
// above is a loss, and nothing more of its partition is applied until the missing one has come; an
// owner whose generation was raised by another writes nothing; what an operator has asked for of
// parked events (dead_letters.hpp) is applied before anything new, and leaves the table together
// with its effect.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/clock.hpp"
#include "eventsourcing/events/position_vector.hpp"
#include "eventsourcing/projections/projection.hpp"
#include "eventsourcing/projections/projection_observer.hpp"
#include "eventsourcing/projections/runner_status.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "eventsourcing/topics/record_source.hpp"

namespace tideline::projections {

// Where a runner is on the way of a batch: the places where it could be killed or frozen.
enum class RunnerPoint {
  Claimed,            // partitions are taken over, not committed yet
  Loaded,             // that is committed
  Replayed,           // a parked event has been applied again
  Polled,             // records have come
  Applied,            // one has been applied in memory
  FlushBegun,         // before the transaction
  CheckpointWritten,  // in it
  FlushWritten,       // all is written, not committed yet
  Committed,          // and nobody has been told
};

struct RunnerPorts {
  sql::Database& database;
  std::unique_ptr<eventsourcing::RecordSource> source;
  // Told of a position that the partition does not hold (design: topic tideline.gaps). May be
  // empty.
  std::function<void(const eventsourcing::SourcePartition&, core::LogPosition)> report_gap;
  // Structured log line: level ("info", "warn", "error"), text. May be empty.
  std::function<void(std::string_view, const std::string&)> log;
  // Told of each point that is passed, in the runner's thread: for fault injection. May be empty.
  std::function<void(RunnerPoint)> reached = nullptr;
  // Outlives the runner. May be null.
  eventsourcing::ProjectionObserver* observer = nullptr;
};

struct RunnerOptions {
  // What checkpoints and parked events are kept under; empty: the projection's name.
  std::string name = {};
  std::optional<eventsourcing::FlushPolicy> flush_policy =
      std::nullopt;  // nullopt: the projection's
  // After so many parked events of one projection nothing more is parked: the runner waits for a
  // person, for so many are an outage and not bad events.
  std::size_t parked_max = 1000;
  // How far back in a partition a missing position is looked for before it is reported.
  std::int64_t search_back_records = 100000;
  std::chrono::milliseconds gap_report_interval{5000};
  // How often at most the source is told how far it is (RecordSource::show_progress), besides at
  // the end: each time is a record for each partition that moved, and a broker that starts reads
  // them all before it serves groups.
  std::chrono::milliseconds progress_interval{30'000};
  // Pauses after transient errors: the first, doubled up to the last.
  std::chrono::milliseconds backoff_min{50};
  std::chrono::milliseconds backoff_max{5000};
};

class ProjectionRunner {
 public:
  // `logs`: partitions of each service's topic.
  ProjectionRunner(eventsourcing::Projection& projection, RunnerPorts ports, std::uint32_t logs,
                   RunnerOptions options = {});
  ~ProjectionRunner();

  // Until stop is requested; flushes once more before it returns. Never throws.
  void run(std::stop_token stop);

  // What queries of the read model wait on: committed positions of a durable model, also those that
  // other owners of partitions have committed; positions in memory of one that is not durable.
  eventsourcing::AppliedPositions& applied() { return applied_; }
  // Positions applied in memory, flushed or not: for queries that a durable model answers from its
  // memory. They fall back when the runner rewinds.
  eventsourcing::AppliedPositions& in_memory() { return in_memory_; }
  eventsourcing::RunnerStatus status() const;  // thread-safe
  // How far the memory has got. Not while run() runs.
  eventsourcing::PartitionPlaces places() const;

 private:
  struct State;
  eventsourcing::AppliedPositions applied_;
  eventsourcing::AppliedPositions in_memory_;
  std::unique_ptr<State> state_;
};

}  // namespace tideline::projections
