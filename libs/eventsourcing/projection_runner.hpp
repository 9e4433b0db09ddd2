// Runs one projection on one thread: consume, check positions, apply, flush with checkpoint.
//
// Laws: the read model, the next offset and the last position of every partition change in one
// transaction; a record whose position is not above the last is skipped; one that is more than one
// above is a loss, and nothing more of its partition is applied until the missing one has come; an
// owner whose generation was raised by another writes nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
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
  bool flush_wanted() const { return waiting_.load() > 0; }

  // By the runner: `consumed` services count even before their first event.
  void reset(const std::vector<std::string>& services, const PositionVector& positions);
  void advance(const PositionVector& positions);

 private:
  bool covered(const PositionVector& wanted) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> services_;
  PositionVector positions_;
  std::atomic<int> waiting_{0};
};

// What the runner tells the outside of itself.
struct RunnerStatus {
  bool caught_up_once = false;   // had every record that was there when it started
  std::uint64_t applied = 0;     // events since the start
  std::uint64_t lag = 0;         // records not applied yet, by the last known ends
  std::uint64_t parked = 0;      // events in the dead-letter table
  std::string last_problem;      // "" = none
};

struct RunnerPorts {
  Database& database;
  std::unique_ptr<RecordSource> source;
  // Told of a position that the partition does not hold (design: topic tideline.gaps). May be empty.
  std::function<void(const SourcePartition&, core::LogPosition)> report_gap;
  // Structured log line: level ("info", "warn", "error"), text. May be empty.
  std::function<void(std::string_view, const std::string&)> log;
};

class ProjectionRunner {
 public:
  ProjectionRunner(Projection& projection, RunnerPorts ports, std::uint32_t logs);
  ~ProjectionRunner();

  // Until stop is requested; flushes once more before it returns. Never throws.
  void run(std::stop_token stop);

  AppliedPositions& applied() { return applied_; }
  RunnerStatus status() const;

 private:
  struct State;
  AppliedPositions applied_;
  std::unique_ptr<State> state_;
};

// Tables that durable projections need in the service's database: projection_checkpoint,
// dead_letter, dead_letter_skip. Run by the migrations of libs/postgres.
extern const char* const kProjectionTablesSql;

}  // namespace tideline::eventsourcing
