// A service's events in PostgreSQL: the ports EventStore and EventLog over the tables of
// base_migrations().
//
// Group commit: one appender thread per store collects the appends that wait and commits them as
// one READ COMMITTED transaction in two round trips:
//   1. lock the position rows of every log that the batch touches (the logs of its streams, of its
//      assertions and of its idempotency keys), in order; then, in a statement of its own that sees
//      what had committed before the locks were granted, read keys, versions and positions;
//   2. insert the events and results of those that win, advance each position row by exactly what
//      was inserted, commit, notify.
// So positions are gapless and in commit order within a log with any number of processes, and a
// conflict fails its own append alone. The log of an idempotency key is locked too, which is
// simpler than drawing server-made ids until their stream falls into that log, and costs one more
// row lock.
//
// The logs may lie in several databases (LogDatabases). Each then has its own appender thread, and
// one more commits the appends that touch several of them, all or nothing, by two-phase commit
// (spread_appender.hpp); what a process leaves unfinished there is finished by any other
// (in_doubt_appends.hpp). An idempotency key lies in the database of its own log. Order and
// atomicity hold as in one database; only that a reader may see an append's events in one database
// a moment before those in another.
//
// Thread-safe. append() blocks until the outcome is durable, at most `append_deadline`; what
// append_then() was given is told later if the database stands still: `append_deadline` bounds the
// wait for its turn, the options of the connection and `resolve_deadline` what follows.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "eventsourcing/store/event_store.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/connections/log_databases.hpp"

namespace tideline::postgres {

struct EventStoreOptions {
  std::string service;
  std::uint32_t logs = 16;
  std::size_t queued_appends_max = 4'096;  // beyond it append() fails at once with Unavailable
  std::size_t batch_appends_max = 512;
  std::size_t batch_bytes_max = 8U << 20U;  // a single append above it is InvalidInput
  // An append that is not done by then fails: Unavailable if it had not begun, Timeout if it had.
  std::chrono::milliseconds append_deadline{15'000};
  // How long a commit of unknown outcome is looked for on new connections.
  std::chrono::milliseconds resolve_deadline{8'000};
  std::chrono::hours idempotency_ttl{7 * 24};
  std::chrono::milliseconds sweep_interval{60'000};  // of expired idempotency results
  // With several databases: how old a prepared transaction must be to be looked into, and how often
  // that is done.
  std::chrono::milliseconds recovery_interval{1'000};
};

// What the appenders have done so far, for metrics.
struct AppenderStatus {
  std::uint64_t batches = 0;  // committed
  std::uint64_t at_once = 0;  // of these: in one round trip, nothing was read first
  std::uint64_t appends = 0;  // with their events or their result in the database
  std::uint64_t events = 0;
  std::uint64_t conflicts = 0;
  std::uint64_t failed = 0;      // ended with an Error
  std::uint64_t unresolved = 0;  // of these: outcome unknown
  std::size_t queued = 0;
  std::uint64_t spread = 0;     // of the appends: over several databases
  std::uint64_t recovered = 0;  // prepared transactions finished that others had left
};

class PostgresEventStore final : public eventsourcing::EventStore, public eventsourcing::EventLog {
 public:
  // All logs in one database. The references outlive the store. Reads use the pool; the appender
  // has its own connection, and so has the listener, which starts with the first wait_for_append().
  PostgresEventStore(PooledDatabase& database, const core::Clock& clock, core::Random& random,
                     EventStoreOptions options);
  // As many logs as the options say, each in its database. check_places() must hold before the
  // first append.
  PostgresEventStore(LogDatabases databases, const core::Clock& clock, core::Random& random,
                     EventStoreOptions options);
  // Appends that wait are still committed; nobody may call append() any more.
  ~PostgresEventStore() override;
  PostgresEventStore(const PostgresEventStore&) = delete;
  PostgresEventStore& operator=(const PostgresEventStore&) = delete;

  core::Result<std::vector<eventsourcing::RecordedEvent>> read_stream(const core::StreamId& stream,
                                                                      core::StreamVersion after,
                                                                      std::size_t limit) override;
  core::Result<std::optional<eventsourcing::RecordedEvent>> read_last(
      const core::StreamId& stream) override;
  core::Result<std::vector<eventsourcing::RecordedEvent>> read_compacted(
      const core::StreamId& stream, std::uint32_t revision, std::size_t limit) override;
  core::Status save_compaction(const core::StreamId& stream,
                               const eventsourcing::StreamCompaction& compaction) override;
  core::Result<std::optional<eventsourcing::AppendOutcome>> find_result(
      const eventsourcing::IdempotencyKey& key) override;
  const std::string& service() const override;

  std::uint32_t logs() const override;
  // One round trip for each database that holds one of the logs.
  core::Status read_ranges(std::span<const eventsourcing::LogRange> ranges,
                           const Visit& visit) override;
  core::Result<core::LogPosition> head(core::LogIndex log) override;
  core::Result<std::vector<core::LogPosition>> heads() override;
  void wait_for_append(std::chrono::milliseconds timeout) override;

  // The logs as one database has them, by its number in the LogDatabases: those that lie elsewhere
  // are empty. Asks no other database. Lives as long as the store.
  eventsourcing::EventLog& in_database(std::size_t database);

  AppenderStatus status() const;

 private:
  core::Result<eventsourcing::AppendOutcome> do_append(eventsourcing::Append append) override;
  // `done` is called on an appender's thread: the next batch waits for it.
  void do_append_then(eventsourcing::Append append, eventsourcing::AppendDone done) override;
  class DatabaseLog;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tideline::postgres
