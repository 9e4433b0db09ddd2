// Runs one projection on one thread: consume, check positions, apply, flush with checkpoint.
//
// Laws: the read model, the next offset and the last position of every partition change in one
// transaction; a record whose position is not above the last is skipped; one that is more than one
// above is a loss, and nothing more of its partition is applied until the missing one has come; an
// owner whose generation was raised by another writes nothing; what an operator has asked for of
// parked events (dead_letters.hpp) is applied before anything new, and leaves the table together
// with its effect.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/clock.hpp"
#include "eventsourcing/position_vector.hpp"
#include "eventsourcing/projection.hpp"
#include "eventsourcing/record_source.hpp"

namespace tideline::eventsourcing {

// What a query waits on. Thread-safe.
class AppliedPositions {
 public:
  // Blocks until everything of `wanted` that this model consumes is there, or the deadline passes.
  // Asks a durable model that has more in memory than in its tables to flush now.
  bool wait_for(const PositionVector& wanted, std::chrono::milliseconds timeout);
  PositionVector current() const;
  // True if somebody waits for what `in_memory` covers: a flush now would let it go on.
  bool flush_wanted(const PositionVector& in_memory) const;
  bool anybody_waits() const { return waiting_.load() > 0; }

  // By the runner: services that it consumes count even before their first event.
  void reset(const std::vector<std::string>& services, const PositionVector& positions);
  void advance(const PositionVector& positions);

 private:
  bool covers(const PositionVector& positions, const PositionVector& wanted) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> services_;
  PositionVector positions_;
  std::list<const PositionVector*> waiters_;
  std::atomic<int> waiting_{0};  // size of waiters_, readable without the mutex
};

// What the runner tells the outside of itself.
struct RunnerStatus {
  // Had every record that was there when it started; also those that other owners commit, unless it
  // answers from its own memory.
  bool caught_up_once = false;
  std::chrono::milliseconds caught_up_in{0};  // from the runner's beginning to there
  std::uint64_t applied = 0;                  // events since the start
  std::uint64_t lag = 0;                      // records not applied yet, by the last known ends
  std::uint64_t parked = 0;                   // events in the dead-letter table
  std::uint64_t passed_over = 0;              // records that were no events
  std::uint64_t rewinds = 0;                  // times it went back to the committed positions
  std::string last_problem;                   // "" = none
  // So long ago it had every record that the topics held then, and they said so themselves. It
  // grows while the brokers do not answer, a position is missing, the runner hangs, or the machine
  // sleeps. nullopt: never yet.
  std::optional<std::chrono::milliseconds> behind;
};

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
  Database& database;
  std::unique_ptr<RecordSource> source;
  // Told of a position that the partition does not hold (design: topic tideline.gaps). May be
  // empty.
  std::function<void(const SourcePartition&, core::LogPosition)> report_gap;
  // Structured log line: level ("info", "warn", "error"), text. May be empty.
  std::function<void(std::string_view, const std::string&)> log;
  // Told of each point that is passed, in the runner's thread: for fault injection. May be empty.
  std::function<void(RunnerPoint)> reached = nullptr;
};

struct RunnerOptions {
  // After so many parked events of one projection nothing more is parked: the runner waits for a
  // person, for so many are an outage and not bad events.
  std::size_t parked_max = 1000;
  // How far back in a partition a missing position is looked for before it is reported.
  std::int64_t search_back_records = 100000;
  std::chrono::milliseconds gap_report_interval{5000};
  // Pauses after transient errors: the first, doubled up to the last.
  std::chrono::milliseconds backoff_min{50};
  std::chrono::milliseconds backoff_max{5000};
};

class ProjectionRunner {
 public:
  // `logs`: partitions of each service's topic.
  ProjectionRunner(Projection& projection, RunnerPorts ports, std::uint32_t logs,
                   RunnerOptions options = {});
  ~ProjectionRunner();

  // Until stop is requested; flushes once more before it returns. Never throws.
  void run(std::stop_token stop);

  // What queries of the read model wait on: committed positions of a durable model, also those that
  // other owners of partitions have committed; positions in memory of one that is not durable.
  AppliedPositions& applied() { return applied_; }
  // Positions applied in memory, flushed or not: for queries that a durable model answers from its
  // memory. They fall back when the runner rewinds.
  AppliedPositions& in_memory() { return in_memory_; }
  RunnerStatus status() const;  // thread-safe
  // How far the memory has got. Not while run() runs.
  PartitionPlaces places() const;

 private:
  struct State;
  AppliedPositions applied_;
  AppliedPositions in_memory_;
  std::unique_ptr<State> state_;
};

// Tables that durable projections and views need in the service's database: projection_checkpoint,
// dead_letter, dead_letter_skip, state_topic_checkpoint. Run by the migrations of libs/postgres.
extern const char* const kProjectionTablesSql;
// The step after that: parked events can be applied again.
extern const char* const kDeadLetterReplaySql;

}  // namespace tideline::eventsourcing
