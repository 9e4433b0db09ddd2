#include "postgres/recovery/log_recovery.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "eventsourcing/topics/partition_progress.hpp"

namespace tideline::postgres {
namespace {

using core::KafkaOffset;
using core::LogIndex;
using core::LogPosition;
using eventsourcing::PartitionProgress;
using eventsourcing::RecordedEvent;
using eventsourcing::SourcePartition;
using eventsourcing::Verdict;
using std::chrono::milliseconds;

constexpr milliseconds kPoll{200};

const std::vector<std::string> kColumns{
    "log",          "position",       "stream_id", "version",     "event_id",
    "type",         "schema_version", "private",   "recorded_at", "correlation_id",
    "causation_id", "traceparent",    "seen",      "data"};

std::string column_list() {
  std::string list;
  for (const std::string& column : kColumns) list += (list.empty() ? "" : ", ") + column;
  return list;
}

[[noreturn]] void fail(core::Error error) { throw sql::TransactionFailed(std::move(error)); }

class Recovery {
 public:
  Recovery(sql::Transaction& transaction, eventsourcing::RecordSource& source,
           const LogRecoveryOptions& options, const std::stop_token& stop)
      : transaction_(transaction), source_(source), options_(options), stop_(stop) {}

  std::vector<RecoveredLog> run() {
    lock_logs();
    read_topic();
    std::vector<RecoveredLog> recovered;
    if (!unprotected_) return recovered;
    for (auto& [index, log] : logs_) {
      if (!log.forked) take_out(log);
    }
    find_conflicts();
    set_conflicts_aside();
    for (auto& [index, log] : logs_) {
      put_behind(log);
      if (log.forked || log.report.set_aside > 0) recovered.push_back(log.report);
    }
    protect_events();
    return recovered;
  }

 private:
  struct Log {
    PartitionProgress progress;
    std::optional<KafkaOffset> end;  // none: not assigned yet
    bool forked = false;
    RecoveredLog report;
    std::vector<RecordedEvent> batch;

    bool is_read() const { return end && progress.seen() >= *end; }
  };

  // A checkpoint that came back with the copy says what was published before it was made. A
  // position lies at its own offset or behind: none takes less than a record.
  void lock_logs() {
    for (const LogIndex index : options_.logs) {
      const auto rows = transaction_.execute(
          "SELECT c.position FROM event_log l JOIN relay_checkpoint c USING (log)"
          " WHERE log = $1 FOR UPDATE OF l, c",
          {index});
      if (rows.empty()) fail(core::internal_error("a log has no row"));
      const std::int64_t published = rows[0].integer(0);
      Log& log = logs_[index];
      log.report.log = index;
      log.report.agreed = LogPosition(static_cast<std::uint64_t>(published));
      log.progress.restart(log.report.agreed, KafkaOffset(published));
    }
  }

  void read_topic() {
    auto heard_at = std::chrono::steady_clock::now();
    const auto is_read = [](const auto& entry) { return entry.second.is_read(); };
    while (!std::all_of(logs_.begin(), logs_.end(), is_read)) {
      if (stop_.stop_requested()) fail({core::ErrorCode::Unavailable, "stopped", false});
      auto polled = source_.poll(kPoll);
      if (polled)
        assigned_.insert(assigned_.end(), polled->assigned.begin(), polled->assigned.end());
      const bool begun = begin();
      if (polled && (take(*polled) || begun)) {
        heard_at = std::chrono::steady_clock::now();
      } else if (std::chrono::steady_clock::now() - heard_at > options_.patience) {
        fail({core::ErrorCode::Unavailable, "the topic cannot be read to its end", false});
      }
    }
    for (const auto& [index, log] : logs_) {
      if (log.progress.gap() == PartitionProgress::Gap::None) continue;
      fail({core::ErrorCode::Unavailable,
            "the topic lacks position " + std::to_string(log.progress.missing().value()) +
                " of log " + std::to_string(index.value()),
            false});
    }
  }

  // False: there is nothing to begin with, or the brokers do not say where it ends.
  bool begin() {
    if (assigned_.empty()) return false;
    const auto ends = source_.end_offsets();
    if (!ends) return false;
    for (const SourcePartition& partition : std::exchange(assigned_, {})) {
      const auto found = logs_.find(partition.log);
      const bool ours = found != logs_.end();
      const KafkaOffset end = ends->at(partition);
      // Nothing comes of any partition before all have been sought.
      const auto sought =
          source_.seek(partition, ours ? found->second.progress.next_offset() : end);
      if (!sought) fail(sought.error());
      if (ours) found->second.end = end;
    }
    return true;
  }

  // False: nothing has come.
  bool take(eventsourcing::PollResult& polled) {
    for (eventsourcing::SourceRecord& record : polled.records) {
      const auto found = logs_.find(record.event.log);
      if (found == logs_.end()) continue;
      Log& log = found->second;
      // One that is held back comes again behind the one that is missing.
      const Verdict verdict = log.progress.look_at(record.event.position, record.offset);
      if (verdict != Verdict::Apply) continue;
      log.progress.applied(record.event.position, record.offset);
      log.batch.push_back(std::move(record.event));
    }
    for (auto& [index, log] : logs_) {
      if (!log.batch.empty()) compare(log);
    }
    return !polled.records.empty();
  }

  void compare(Log& log) {
    auto first = log.batch.begin();
    if (!log.forked) {
      const auto held = transaction_.execute(
          "SELECT event_id FROM event WHERE log = $1 AND position BETWEEN $2 AND $3"
          " ORDER BY position",
          {log.report.log, first->position, log.batch.back().position});
      for (const sql::Row& row : held) {
        if (row.text(0) != first->id) break;
        log.report.agreed = first->position;
        ++first;
      }
      if (first != log.batch.end()) {
        log.forked = true;
        take_out(log);
      }
    }
    take_back(log, first);
    log.batch.clear();
  }

  // What the database has behind the last event that both have: nobody has read it.
  void take_out(const Log& log) {
    if (!std::exchange(unprotected_, true)) {
      transaction_.execute(
          "CREATE TEMP TABLE written_since"
          " (LIKE event, conflicts boolean NOT NULL DEFAULT false) ON COMMIT DROP");
      transaction_.execute("CREATE INDEX ON written_since (stream_id)");
      transaction_.execute("CREATE INDEX ON written_since (recorded_at)");
      transaction_.execute("GRANT DELETE ON event TO CURRENT_USER");
      transaction_.execute("ALTER TABLE event DISABLE TRIGGER event_is_never_changed");
    }
    transaction_.execute(
        "WITH gone AS (DELETE FROM event WHERE log = $1 AND position > $2 RETURNING *)"
        " INSERT INTO written_since SELECT gone.*, false FROM gone",
        {log.report.log, log.report.agreed});
  }

  // Of one append all events have the same time and the same origin.
  void find_conflicts() {
    for (const auto& [index, log] : logs_) {
      transaction_.execute(
          "UPDATE written_since w SET conflicts = true WHERE log = $1 AND EXISTS"
          " (SELECT FROM event e WHERE e.stream_id = w.stream_id AND e.position > $2)",
          {index, log.report.agreed});
    }
    std::int64_t found = 1;
    while (found > 0) {
      found = transaction_
                  .execute(
                      "WITH found AS (UPDATE written_since w SET conflicts = true"
                      " WHERE NOT conflicts AND EXISTS (SELECT FROM written_since o"
                      " WHERE o.conflicts AND (o.stream_id = w.stream_id AND o.version < w.version"
                      " OR o.recorded_at = w.recorded_at AND o.correlation_id = w.correlation_id"
                      " AND o.causation_id = w.causation_id)) RETURNING 1)"
                      " SELECT count(*) FROM found")
                  .at(0)
                  .integer(0);
    }
  }

  void set_conflicts_aside() {
    // What was known of a stream that has other events now says nothing any more.
    for (const auto& [index, log] : logs_) {
      transaction_.execute(
          "DELETE FROM stream_compaction WHERE stream_id IN"
          " (SELECT stream_id FROM event WHERE log = $1 AND position > $2"
          " UNION SELECT stream_id FROM written_since WHERE log = $1 AND conflicts)",
          {index, log.report.agreed});
    }
    const std::string columns = column_list();
    const auto kept = transaction_.execute("WITH kept AS (INSERT INTO event_set_aside (" + columns +
                                           ") SELECT " + columns +
                                           " FROM written_since WHERE conflicts RETURNING log)"
                                           " SELECT log, count(*) FROM kept GROUP BY log");
    for (const sql::Row& row : kept) {
      Log& log = logs_.at(LogIndex(static_cast<std::uint32_t>(row.integer(0))));
      log.report.set_aside = static_cast<std::uint64_t>(row.integer(1));
    }
  }

  void protect_events() {
    transaction_.execute("ALTER TABLE event ENABLE TRIGGER event_is_never_changed");
    transaction_.execute("REVOKE DELETE ON event FROM CURRENT_USER");
  }

  void take_back(Log& log, std::vector<RecordedEvent>::iterator first) {
    std::vector<sql::Params> rows;
    for (; first != log.batch.end(); ++first) {
      const RecordedEvent& event = *first;
      rows.push_back({event.log, event.position, event.stream.value(), event.version, event.id,
                      event.type, event.schema_version,
                      event.visibility == eventsourcing::Visibility::Private, event.time,
                      event.metadata.correlation_id, event.metadata.causation_id,
                      event.metadata.traceparent, event.metadata.seen, event.data});
      ++log.report.taken_back;
      if (eventsourcing::is_stub(event)) ++log.report.without_data;
    }
    if (!rows.empty()) transaction_.copy_in("event", kColumns, rows);
  }

  void put_behind(Log& log) {
    RecoveredLog& report = log.report;
    const LogPosition published(report.agreed.value() + report.taken_back);
    const auto moved = transaction_.execute(
        std::string("WITH moved AS (INSERT INTO event (") + column_list() +
            ") SELECT log, $2 + row_number() OVER (ORDER BY position), stream_id, version,"
            " event_id, type, schema_version, private, recorded_at, correlation_id, causation_id,"
            " traceparent, seen, data FROM written_since WHERE log = $1 AND NOT conflicts"
            " ORDER BY position RETURNING 1) SELECT count(*) FROM moved",
        {report.log, published});
    report.moved = static_cast<std::uint64_t>(moved.at(0).integer(0));
    transaction_.execute("UPDATE relay_checkpoint SET position = $2 WHERE log = $1",
                         {report.log, published});
    transaction_.execute("UPDATE event_log SET position = $2 WHERE log = $1",
                         {report.log, LogPosition(published.value() + report.moved)});
  }

  sql::Transaction& transaction_;
  eventsourcing::RecordSource& source_;
  const LogRecoveryOptions& options_;
  const std::stop_token& stop_;
  std::map<LogIndex, Log> logs_;
  std::vector<SourcePartition> assigned_;  // and not sought yet
  bool unprotected_ = false;
};

}  // namespace

core::Result<std::vector<RecoveredLog>> recover_logs(sql::Database& database,
                                                     eventsourcing::RecordSource& source,
                                                     const LogRecoveryOptions& options,
                                                     const std::stop_token& stop) {
  std::vector<RecoveredLog> recovered;
  const core::Status done = database.transact([&](sql::Transaction& transaction) {
    recovered = Recovery(transaction, source, options, stop).run();
  });
  if (!done) return done.error();
  return recovered;
}

}  // namespace tideline::postgres
