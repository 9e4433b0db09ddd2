// Builds the tables of one projection anew, beside those that serve and while writes go on,
// compares the two at one vector of positions, and exchanges them in one transaction.
//
// The copy lies in a schema of its own with the same names. An ordinary ProjectionRunner fills it
// through the same Projection under the name "<projection>@rebuild", with checkpoints of its own:
// so its effect is exactly-once, and a rebuild that was killed anywhere goes on from there when it
// is run again. Nothing of the copy is read by queries before the exchange, nothing of it is left
// after.
//
// At the exchange the runners of the projection that serves wait for a moment (their checkpoint
// rows are locked) and then take up the new tables, for their generation was raised. Queries wait
// at most while the tables change places. docs/adr/0015 says why it is done so.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "eventsourcing/projections/projection.hpp"
#include "eventsourcing/topics/record_source.hpp"
#include "postgres/projections/rebuild_tables.hpp"
#include "sql/transaction.hpp"

namespace tideline::projections {

struct RebuildProgress {
  std::uint64_t done = 0;   // events in the copy
  std::uint64_t total = 0;  // records to be read, as far as they are known; grows with new events
  double events_per_s = 0;
  std::chrono::seconds left{0};
  std::string problem;  // "" = none
};

struct RebuildPorts {
  // At least three connections: one holds locks, one writes, one compares.
  sql::Database& database;
  // Makes the schema of that name in one transaction, marked with `mark`, and in it the empty
  // tables of all projections of the service.
  std::function<core::Status(const std::string& schema, const std::string& mark)> make_schema;
  // A consumer of all partitions that belongs to no group.
  std::function<std::unique_ptr<eventsourcing::RecordSource>()> open_source;
  // As in RunnerPorts; all three may be empty.
  std::function<void(const eventsourcing::SourcePartition&, core::LogPosition)> report_gap;
  std::function<void(std::string_view, const std::string&)> log;
  std::function<void(const RebuildProgress&)> progress;
};

struct RebuildOptions {
  std::uint32_t logs = 16;  // of each service consumed
  // Of the program that builds: a copy begun by another one is thrown away.
  std::string mark;
  // Compares at one vector and drops the copy, without an exchange.
  bool verify_only = false;
  // Exchanges the tables although they differ: the projection has been changed. A table that would
  // become empty still keeps them from it.
  bool allow_difference = false;

  // Much at once: what happens to a row within a batch is folded in memory and written once.
  eventsourcing::FlushPolicy flush{std::chrono::milliseconds(10'000), 200'000};
  // Copies up to this size are compared under the lock of the exchange itself; larger ones a little
  // before, at a vector at which both were committed, so that the runners do not wait for it.
  std::int64_t compare_locked_bytes_max = 64 << 20;
  // How long the projection that serves is waited for when the copy is ahead of it.
  std::chrono::milliseconds live_deadline{60'000};
  // Of meeting at one vector and exchanging, which lock time-outs may spoil.
  int attempts_max = 20;
  std::chrono::milliseconds progress_interval{1000};
};

struct RebuildReport {
  std::uint64_t events = 0;  // applied to the copy, by all runs of this rebuild
  double seconds = 0;        // of this run, until the copy had caught up
  double events_per_s = 0;   // of this run
  bool switched = false;
  postgres::rebuild::Comparison comparison;  // without tables when it did not come to one
  // Why the tables were not exchanged although they were to be, or what differs; "" = all is well.
  std::string finding;
};

// Used by one thread.
class Rebuild {
 public:
  // `projection` is driven by this rebuild alone: not the object that a running service drives.
  // It has tables (Projection::tables).
  Rebuild(eventsourcing::Projection& projection, RebuildPorts ports, RebuildOptions options);
  ~Rebuild();

  // Blocks until it is done, `stop` is requested (Unavailable; the next run goes on from there), or
  // the world fails for longer than it is worth waiting. What speaks against an exchange is no
  // Error but a finding.
  core::Result<RebuildReport> run(std::stop_token stop);

 private:
  class State;
  std::unique_ptr<State> state_;
};

// Throws away what an unfinished rebuild has built.
core::Status abandon_rebuild(sql::Database& database, const eventsourcing::Projection& projection);

}  // namespace tideline::projections
