#include "postgres/event_store.hpp"

#include <utility>

#include "core/check.hpp"
#include "eventsourcing/append_rules.hpp"
#include "postgres/append_listener.hpp"
#include "postgres/appender.hpp"

namespace tideline::postgres {
namespace {

using core::LogIndex;
using core::LogPosition;
using core::StreamId;
using core::StreamVersion;
using eventsourcing::AppendOutcome;
using eventsourcing::RecordedEvent;
using eventsourcing::Row;
using eventsourcing::Rows;

constexpr std::string_view kSelectEvent =
    "SELECT log, position, stream_id, version, event_id, type, schema_version, private,"
    " (extract(epoch FROM recorded_at) * 1000000)::bigint,"
    " correlation_id, causation_id, traceparent, data FROM event ";

std::uint64_t unsigned_of(const Row& row, std::size_t column) {
  return static_cast<std::uint64_t>(row.integer(column));
}

RecordedEvent event_of(const Row& row, const std::string& service) {
  return {row.text(4),
          service,
          row.text(5),
          core::SchemaVersion(static_cast<std::uint32_t>(row.integer(6))),
          StreamId(row.text(2)),
          StreamVersion(unsigned_of(row, 3)),
          LogIndex(static_cast<std::uint32_t>(row.integer(0))),
          LogPosition(unsigned_of(row, 1)),
          row.timestamp_us(8),
          {row.text(9), row.text(10), row.text(11)},
          row.text(12),
          row.boolean(7) ? eventsourcing::Visibility::Private : eventsourcing::Visibility::Public};
}

}  // namespace

struct PostgresEventStore::Parts {
  Parts(PooledDatabase& pool, const core::Clock& time, core::Random& random, EventStoreOptions with)
      : database(pool),
        clock(time),
        options(std::move(with)),
        listener(pool.options()),
        appender(pool.options(), options, time, random, [this] { listener.wake(); }) {}

  core::Result<std::vector<RecordedEvent>> read(std::string_view where,
                                                const eventsourcing::Params& params) {
    const auto rows = database.query(std::string(kSelectEvent).append(where), params);
    if (!rows) return rows.error();
    std::vector<RecordedEvent> events;
    events.reserve(rows->size());
    for (const Row& row : *rows) events.push_back(event_of(row, options.service));
    return events;
  }

  PooledDatabase& database;
  const core::Clock& clock;
  const EventStoreOptions options;
  AppendListener listener;
  Appender appender;  // last: its thread uses all of the above
};

PostgresEventStore::PostgresEventStore(PooledDatabase& database, const core::Clock& clock,
                                       core::Random& random, EventStoreOptions options) {
  CHECK(options.logs > 0, "a service has at least one log");
  CHECK(options.batch_appends_max > 0, "a batch takes at least one append");
  parts_ = std::make_unique<Parts>(database, clock, random, std::move(options));
}

PostgresEventStore::~PostgresEventStore() = default;

core::Result<AppendOutcome> PostgresEventStore::append(eventsourcing::Append append) {
  if (auto status = validate(append); !status) return status.error();
  return parts_->appender.append(std::move(append));
}

core::Result<std::vector<RecordedEvent>> PostgresEventStore::read_stream(const StreamId& stream,
                                                                         StreamVersion after,
                                                                         std::size_t limit) {
  return parts_->read("WHERE stream_id = $1 AND version > $2 ORDER BY version LIMIT $3",
                      {stream, after, limit});
}

core::Result<std::optional<RecordedEvent>> PostgresEventStore::read_last(const StreamId& stream) {
  auto events = parts_->read("WHERE stream_id = $1 ORDER BY version DESC LIMIT 1", {stream});
  if (!events) return events.error();
  if (events->empty()) return std::optional<RecordedEvent>();
  return std::optional(std::move(events->front()));
}

core::Result<std::optional<AppendOutcome>> PostgresEventStore::find_result(
    const eventsourcing::IdempotencyKey& key) {
  const auto rows = parts_->database.query(
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

core::Result<std::vector<RecordedEvent>> PostgresEventStore::read_log(LogIndex log,
                                                                      LogPosition after,
                                                                      std::size_t limit) {
  return parts_->read("WHERE log = $1 AND position > $2 ORDER BY position LIMIT $3",
                      {log, after, limit});
}

core::Result<LogPosition> PostgresEventStore::head(LogIndex log) {
  const auto rows = parts_->database.query("SELECT position FROM event_log WHERE log = $1", {log});
  if (!rows) return rows.error();
  if (rows->empty()) return core::internal_error("this database has no log of that number");
  return LogPosition(unsigned_of(rows->front(), 0));
}

core::Result<std::vector<LogPosition>> PostgresEventStore::heads() {
  const auto rows = parts_->database.query(
      "SELECT position FROM event_log WHERE log < $1 ORDER BY log", {parts_->options.logs});
  if (!rows) return rows.error();
  std::vector<LogPosition> all;
  for (const Row& row : *rows) all.push_back(LogPosition(unsigned_of(row, 0)));
  if (all.size() != parts_->options.logs) {
    return core::internal_error("the database was made with fewer logs");
  }
  return all;
}

void PostgresEventStore::wait_for_append(std::chrono::milliseconds timeout) {
  parts_->listener.wait(timeout);
}

AppenderStatus PostgresEventStore::status() const { return parts_->appender.status(); }

}  // namespace tideline::postgres
