#include "postgres/store/event_store.hpp"

#include <map>
#include <utility>

#include "core/check.hpp"
#include "eventsourcing/store/append_rules.hpp"
#include "postgres/store/append_listener.hpp"
#include "postgres/store/appender.hpp"
#include "postgres/store/in_doubt_appends.hpp"
#include "postgres/store/spread_appender.hpp"
#include "postgres/store/spread_batch.hpp"

namespace tideline::postgres {
namespace {

using core::LogIndex;
using core::LogPosition;
using core::StreamId;
using core::StreamVersion;
using eventsourcing::AppendOutcome;
using eventsourcing::EventLog;
using eventsourcing::LogRange;
using eventsourcing::RecordedEvent;
using sql::Row;
using sql::Rows;

constexpr std::string_view kSelectEvent =
    "SELECT log, position, stream_id, version, event_id, type, schema_version, private,"
    " recorded_at, correlation_id, causation_id, traceparent, seen, data FROM ";

// A log's events lie in the order of the primary key: nothing is sorted within a range.
constexpr std::string_view kOneRange =
    "event WHERE log = $1 AND position > $2 ORDER BY position LIMIT $3";
constexpr std::string_view kManyRanges =
    "unnest($1::int[], $2::bigint[], $3::bigint[]) AS range (of_log, behind, most)"
    " CROSS JOIN LATERAL (SELECT * FROM event WHERE log = range.of_log"
    " AND position > range.behind ORDER BY position LIMIT range.most) AS found"
    " ORDER BY log, position";

constexpr std::string_view kCompactedEvents =
    "(SELECT event.* FROM stream_compaction AS compaction, event"
    " WHERE compaction.stream_id = $1 AND compaction.revision = $2"
    " AND event.stream_id = $1 AND event.version = ANY(compaction.kept)"
    " UNION ALL (SELECT * FROM event WHERE stream_id = $1 AND version >"
    " coalesce((SELECT upto FROM stream_compaction WHERE stream_id = $1 AND revision = $2), 0)"
    " ORDER BY version LIMIT $3)) AS found ORDER BY version";

std::uint64_t unsigned_of(const Row& row, std::size_t column) {
  return static_cast<std::uint64_t>(row.integer(column));
}

// Into an event whose strings are filled again.
void read_event(const BinaryRows& rows, std::size_t row, const std::string& service,
                RecordedEvent& event) {
  const auto number = [&](int column) {
    return static_cast<std::uint64_t>(rows.integer(row, column));
  };
  event.log = LogIndex(static_cast<std::uint32_t>(number(0)));
  event.position = LogPosition(number(1));
  std::string stream = std::move(event.stream).value();
  event.stream = StreamId(std::move(stream.assign(rows.text(row, 2))));
  event.version = StreamVersion(number(3));
  rows.read_uuid(row, 4, event.id);
  event.type = rows.text(row, 5);
  event.schema_version = core::SchemaVersion(static_cast<std::uint32_t>(number(6)));
  event.visibility =
      rows.boolean(row, 7) ? eventsourcing::Visibility::Private : eventsourcing::Visibility::Public;
  event.time = rows.timestamp(row, 8);
  event.metadata.correlation_id = rows.text(row, 9);
  event.metadata.causation_id = rows.text(row, 10);
  event.metadata.traceparent = rows.text(row, 11);
  event.metadata.seen = rows.text(row, 12);
  event.data = rows.text(row, 13);
  event.source = service;
}

}  // namespace

class PostgresEventStore::DatabaseLog final : public eventsourcing::EventLog {
 public:
  DatabaseLog(Parts& parts, PooledDatabase& database) : parts_(parts), database_(database) {}

  std::uint32_t logs() const override;
  core::Status read_ranges(std::span<const LogRange> ranges, const Visit& visit) override;
  core::Result<LogPosition> head(LogIndex log) override;
  core::Result<std::vector<LogPosition>> heads() override;
  void wait_for_append(std::chrono::milliseconds timeout) override;

 private:
  Parts& parts_;
  PooledDatabase& database_;
};

struct PostgresEventStore::Parts {
  Parts(LogDatabases places, const core::Clock& time, core::Random& random, EventStoreOptions with)
      : databases(std::move(places)), clock(time), options(std::move(with)), listener(databases) {
    const auto wake = [this] { listener.wake(); };
    for (std::size_t i = 0; i < databases.count(); ++i) {
      appenders.push_back(
          std::make_unique<Appender>(databases.at(i).options(), options, time, random, wake));
    }
    if (databases.count() == 1) return;
    in_doubt = std::make_unique<InDoubtAppends>(databases, options, wake);
    spread = std::make_unique<SpreadAppender>(databases, options, random, wake);
  }

  // Of an append over several databases one may show the events while another does not show the
  // result yet: the one that has seen the events must find the key. So who asks for it waits for
  // what is prepared there, under the lock of the key's log, which the prepared transaction holds.
  core::Status await_decisions(LogIndex log) {
    if (databases.count() == 1) return core::success();
    PooledDatabase& database = databases.of(log);
    const auto prepared = database.query(
        "SELECT 1 FROM pg_prepared_xacts WHERE database = current_database()"
        " AND owner = current_user AND starts_with(gid, $1) LIMIT 1",
        {gid_prefix(options.service)});
    if (!prepared) return prepared.error();
    if (prepared->empty()) return core::success();
    return database.transact([&](sql::Transaction& transaction) {
      transaction.execute("SELECT 1 FROM event_log WHERE log = $1 FOR SHARE", {log});
    });
  }

  PooledDatabase& of(const StreamId& stream) {
    return databases.of(core::log_of(stream.value(), databases.logs()));
  }

  // `from` follows FROM.
  core::Result<std::vector<RecordedEvent>> read(PooledDatabase& database, std::string_view from,
                                                const sql::Params& params) {
    const auto rows = database.query_binary(std::string(kSelectEvent).append(from), params);
    if (!rows) return rows.error();
    std::vector<RecordedEvent> events(rows->size());
    for (std::size_t i = 0; i < rows->size(); ++i) {
      read_event(*rows, i, options.service, events[i]);
    }
    return events;
  }

  core::Result<BinaryRows> query_ranges(PooledDatabase& database,
                                        std::span<const LogRange> ranges) const {
    std::string sql(kSelectEvent);
    if (ranges.size() == 1) {
      const LogRange& one = ranges.front();
      return database.query_binary(sql.append(kOneRange), {one.log, one.after, one.limit});
    }
    std::vector<std::int64_t> logs;
    std::vector<std::int64_t> afters;
    std::vector<std::int64_t> limits;
    for (const LogRange& range : ranges) {
      logs.push_back(range.log.value());
      afters.push_back(static_cast<std::int64_t>(range.after.value()));
      limits.push_back(static_cast<std::int64_t>(range.limit));
    }
    return database.query_binary(sql.append(kManyRanges), {logs, afters, limits});
  }

  // True: all was shown, and more is wanted.
  core::Result<bool> show_ranges(PooledDatabase& database, std::span<const LogRange> ranges,
                                 const EventLog::Visit& visit) const {
    const auto rows = query_ranges(database, ranges);
    if (!rows) return rows.error();
    RecordedEvent event;
    for (std::size_t i = 0; i < rows->size(); ++i) {
      read_event(*rows, i, options.service, event);
      if (!visit(event)) return false;
    }
    return true;
  }

  static core::Result<LogPosition> head_in(PooledDatabase& database, LogIndex log) {
    const auto rows = database.query("SELECT position FROM event_log WHERE log = $1", {log});
    if (!rows) return rows.error();
    if (rows->empty()) return core::internal_error("this database has no log of that number");
    return LogPosition(unsigned_of(rows->front(), 0));
  }

  // By log; those that lie elsewhere stand at 0.
  core::Result<std::vector<LogPosition>> heads_in(PooledDatabase& database) const {
    const auto rows = database.query("SELECT position FROM event_log WHERE log < $1 ORDER BY log",
                                     {databases.logs()});
    if (!rows) return rows.error();
    if (rows->size() < databases.logs()) {
      return core::internal_error("the database was made with fewer logs");
    }
    std::vector<LogPosition> heads;
    for (const Row& row : *rows) heads.emplace_back(unsigned_of(row, 0));
    return heads;
  }

  const LogDatabases databases;
  const core::Clock& clock;
  const EventStoreOptions options;
  AppendListener listener;
  // Last: their threads use all of the above.
  std::unique_ptr<InDoubtAppends> in_doubt;  // this and the next only over several databases
  std::unique_ptr<SpreadAppender> spread;
  std::vector<std::unique_ptr<Appender>> appenders;   // by database
  std::vector<std::unique_ptr<DatabaseLog>> logs_in;  // by database
};

core::Status PostgresEventStore::DatabaseLog::read_ranges(std::span<const LogRange> ranges,
                                                          const Visit& visit) {
  const auto wanted = parts_.show_ranges(database_, ranges, visit);
  return wanted ? core::success() : core::Status(wanted.error());
}
core::Result<LogPosition> PostgresEventStore::DatabaseLog::head(LogIndex log) {
  return Parts::head_in(database_, log);
}
core::Result<std::vector<LogPosition>> PostgresEventStore::DatabaseLog::heads() {
  return parts_.heads_in(database_);
}
std::uint32_t PostgresEventStore::DatabaseLog::logs() const { return parts_.databases.logs(); }
void PostgresEventStore::DatabaseLog::wait_for_append(std::chrono::milliseconds timeout) {
  parts_.listener.wait(timeout);
}

PostgresEventStore::PostgresEventStore(PooledDatabase& database, const core::Clock& clock,
                                       core::Random& random, EventStoreOptions options)
    : PostgresEventStore(LogDatabases::all_in(database, options.logs), clock, random,
                         std::move(options)) {}

PostgresEventStore::PostgresEventStore(LogDatabases databases, const core::Clock& clock,
                                       core::Random& random, EventStoreOptions options) {
  CHECK(options.logs == databases.logs(), "each log lies in a database");
  CHECK(options.batch_appends_max > 0, "a batch takes at least one append");
  parts_ = std::make_unique<Parts>(std::move(databases), clock, random, std::move(options));
  for (std::size_t i = 0; i < parts_->databases.count(); ++i) {
    parts_->logs_in.push_back(std::make_unique<DatabaseLog>(*parts_, parts_->databases.at(i)));
  }
}

PostgresEventStore::~PostgresEventStore() = default;

core::Result<AppendOutcome> PostgresEventStore::do_append(eventsourcing::Append append) {
  if (auto status = validate(append); !status) return status.error();
  const auto touched = databases_of(append, parts_->databases);
  if (touched.size() > 1) return parts_->spread->append(std::move(append));
  return parts_->appenders[touched.front()]->append(std::move(append));
}

void PostgresEventStore::do_append_then(eventsourcing::Append append,
                                        eventsourcing::AppendDone done) {
  if (auto status = validate(append); !status) return done(status.error());
  const auto touched = databases_of(append, parts_->databases);
  if (touched.size() > 1) return parts_->spread->append_then(std::move(append), std::move(done));
  parts_->appenders[touched.front()]->append_then(std::move(append), std::move(done));
}

core::Result<std::vector<RecordedEvent>> PostgresEventStore::read_stream(const StreamId& stream,
                                                                         StreamVersion after,
                                                                         std::size_t limit) {
  return parts_->read(parts_->of(stream),
                      "event WHERE stream_id = $1 AND version > $2 ORDER BY version LIMIT $3",
                      {stream, after, limit});
}

core::Result<std::optional<RecordedEvent>> PostgresEventStore::read_last(const StreamId& stream) {
  auto events = parts_->read(parts_->of(stream),
                             "event WHERE stream_id = $1 ORDER BY version DESC LIMIT 1", {stream});
  if (!events) return events.error();
  if (events->empty()) return std::optional<RecordedEvent>();
  return std::optional(std::move(events->front()));
}

core::Result<std::vector<RecordedEvent>> PostgresEventStore::read_compacted(const StreamId& stream,
                                                                            std::uint32_t revision,
                                                                            std::size_t limit) {
  return parts_->read(parts_->of(stream), kCompactedEvents, {stream, revision, limit});
}

core::Status PostgresEventStore::save_compaction(
    const StreamId& stream, const eventsourcing::StreamCompaction& compaction) {
  std::vector<std::int64_t> kept;
  for (const StreamVersion version : compaction.kept) {
    kept.push_back(static_cast<std::int64_t>(version.value()));
  }
  const auto saved = parts_->of(stream).query(
      "INSERT INTO stream_compaction AS known (stream_id, revision, upto, kept)"
      " VALUES ($1, $2, $3, $4) ON CONFLICT (stream_id) DO UPDATE"
      " SET revision = excluded.revision, upto = excluded.upto, kept = excluded.kept"
      " WHERE (known.revision, known.upto) < (excluded.revision, excluded.upto)",
      {stream, compaction.revision, compaction.upto, kept});
  return saved ? core::success() : core::Status(saved.error());
}

core::Result<std::optional<AppendOutcome>> PostgresEventStore::find_result(
    const eventsourcing::IdempotencyKey& key) {
  const LogIndex log = log_of_key(key, parts_->options.logs);
  if (auto decided = parts_->await_decisions(log); !decided) return decided.error();
  const auto rows = parts_->databases.of(log).query(
      "SELECT body_hash, status, body, location, etag, positions FROM idempotency_result"
      " WHERE scope = $1 AND route = $2 AND key = $3 AND expires_at > $4",
      {key.scope, key.route, key.key, parts_->clock.now()});
  if (!rows) return rows.error();
  if (rows->empty()) return std::optional<AppendOutcome>();
  const Row& row = rows->front();
  if (row.text(0) != key.body_hash) return std::optional<AppendOutcome>(eventsourcing::KeyReused{});
  auto positions = eventsourcing::PositionVector::from_token(row.text(5));
  if (!positions) return core::internal_error("a stored position token cannot be read");
  return std::optional<AppendOutcome>(
      eventsourcing::AlreadyDone{{static_cast<int>(row.integer(1)), row.text(2), row.text(3),
                                  row.text(4), std::move(*positions)}});
}

const std::string& PostgresEventStore::service() const { return parts_->options.service; }

std::uint32_t PostgresEventStore::logs() const { return parts_->options.logs; }

core::Status PostgresEventStore::read_ranges(std::span<const LogRange> ranges, const Visit& visit) {
  const LogDatabases& databases = parts_->databases;
  std::map<std::size_t, std::vector<LogRange>> by_database;
  for (const LogRange& range : ranges) {
    by_database[databases.index_of(range.log)].push_back(range);
  }
  for (const auto& [index, its_ranges] : by_database) {
    const auto wanted = parts_->show_ranges(databases.at(index), its_ranges, visit);
    if (!wanted) return wanted.error();
    if (!*wanted) break;
  }
  return core::success();
}

core::Result<LogPosition> PostgresEventStore::head(LogIndex log) {
  return parts_->head_in(parts_->databases.of(log), log);
}

core::Result<std::vector<LogPosition>> PostgresEventStore::heads() {
  const LogDatabases& databases = parts_->databases;
  std::vector<LogPosition> all(databases.logs());
  for (std::size_t index = 0; index < databases.count(); ++index) {
    const auto heads = parts_->heads_in(databases.at(index));
    if (!heads) return heads.error();
    for (std::uint32_t log = 0; log < databases.logs(); ++log) {
      if (databases.index_of(LogIndex(log)) == index) all[log] = (*heads)[log];
    }
  }
  return all;
}

void PostgresEventStore::wait_for_append(std::chrono::milliseconds timeout) {
  parts_->listener.wait(timeout);
}

eventsourcing::EventLog& PostgresEventStore::in_database(std::size_t database) {
  return *parts_->logs_in.at(database);
}

AppenderStatus PostgresEventStore::status() const {
  AppenderStatus all;
  const auto add = [&](const AppenderStatus& one) {
    all.batches += one.batches;
    all.at_once += one.at_once;
    all.appends += one.appends;
    all.events += one.events;
    all.conflicts += one.conflicts;
    all.failed += one.failed;
    all.unresolved += one.unresolved;
    all.queued += one.queued;
  };
  for (const auto& appender : parts_->appenders) add(appender->status());
  if (parts_->spread) {
    const AppenderStatus over_several = parts_->spread->status();
    add(over_several);
    all.spread = over_several.appends;
    all.recovered = parts_->in_doubt->finished();
  }
  return all;
}

}  // namespace tideline::postgres
