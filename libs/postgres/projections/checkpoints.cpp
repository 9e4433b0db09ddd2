#include "postgres/projections/checkpoints.hpp"

#include "core/encoding.hpp"
#include "core/text.hpp"

namespace tideline::postgres::checkpoints {

const char* const kInsertMissingSql =
    "INSERT INTO projection_checkpoint (projection, service, log, next_offset, position, "
    "generation)"
    " SELECT $1, s.service, s.log, 0, 0, 0 FROM unnest($2::text[], $3::int[]) AS s(service, log)"
    " ON CONFLICT DO NOTHING";

// Locked in order, so that two owners who claim at once wait for each other instead of deadlocking.
const char* const kClaimSql =
    "WITH mine AS (SELECT c.service, c.log FROM projection_checkpoint c"
    " JOIN unnest($2::text[], $3::int[]) AS s(service, log)"
    " ON c.service = s.service AND c.log = s.log WHERE c.projection = $1"
    " ORDER BY c.service, c.log FOR UPDATE OF c)"
    " UPDATE projection_checkpoint c SET generation = c.generation + 1 FROM mine"
    " WHERE c.projection = $1 AND c.service = mine.service AND c.log = mine.log"
    " RETURNING c.service, c.log, c.generation, c.next_offset, c.position";

const char* const kAdvanceSql =
    "UPDATE projection_checkpoint c SET next_offset = n.next_offset, position = n.position"
    " FROM unnest($2::text[], $3::int[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])"
    " AS n(service, log, generation, previous, position, next_offset)"
    " WHERE c.projection = $1 AND c.service = n.service AND c.log = n.log"
    " AND c.generation = n.generation AND c.position = n.previous RETURNING c.log";

const char* const kRestartSql =
    "WITH all_of_it AS (SELECT service, log FROM projection_checkpoint WHERE projection = $1"
    " ORDER BY service, log FOR UPDATE)"
    " UPDATE projection_checkpoint c SET generation = c.generation + 1, next_offset = 0,"
    " position = 0 FROM all_of_it a"
    " WHERE c.projection = $1 AND c.service = a.service AND c.log = a.log";

const char* const kHeldSql =
    "SELECT service, log, position, next_offset, generation FROM projection_checkpoint"
    " WHERE projection = $1";

const char* const kParkSql =
    "INSERT INTO dead_letter (projection, service, log, position, stream, stream_version, event_id,"
    " type, schema_version, event_time, data, correlation_id, causation_id, traceparent, seen,"
    " reason)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
    // Parked again after its checkpoint was put back: one row an event, with the latest reason.
    " ON CONFLICT (projection, service, log, position) DO UPDATE SET reason = excluded.reason";

const char* const kParkedSql =
    "SELECT service, stream, count(*) FROM dead_letter WHERE projection = $1"
    " GROUP BY service, stream";

const char* const kSkippedSql =
    "SELECT service, log, position FROM dead_letter_skip WHERE projection = $1";

const char* const kMarkedSql =
    "SELECT service, log, position, stream, stream_version, event_id, type, schema_version,"
    " (extract(epoch FROM event_time) * 1000000)::bigint, data, correlation_id, causation_id,"
    " traceparent, seen FROM dead_letter WHERE projection = $1 AND replay_requested_at IS NOT NULL"
    " ORDER BY service, log, position";

const char* const kUnparkSql =
    "DELETE FROM dead_letter d USING unnest($2::text[], $3::int[], $4::bigint[])"
    " AS gone(service, log, position) WHERE d.projection = $1 AND d.service = gone.service"
    " AND d.log = gone.log AND d.position = gone.position RETURNING d.position";

const char* const kKeepParkedSql =
    "UPDATE dead_letter SET replay_requested_at = NULL, reason = $5"
    " WHERE projection = $1 AND service = $2 AND log = $3 AND position = $4 RETURNING position";

namespace {

core::LogIndex log_at(const sql::Row& row, std::size_t column) {
  return core::LogIndex(static_cast<std::uint32_t>(row.integer(column)));
}

core::LogPosition position_at(const sql::Row& row, std::size_t column) {
  return core::LogPosition(static_cast<std::uint64_t>(row.integer(column)));
}

constexpr std::string_view kEncoded = "base64url:";

// Whatever made the event unreadable must not keep it out of the table: text columns take no NUL
// and nothing but UTF-8.
std::string storable(const std::string& text) {
  const bool plain = core::code_points(text) && text.find('\0') == std::string::npos &&
                     !text.starts_with(kEncoded);
  return plain ? text : std::string(kEncoded) + core::to_base64url(core::as_bytes(text));
}

// What storable() was given.
std::string stored(const std::string& text) {
  if (!text.starts_with(kEncoded)) return text;
  const auto bytes = core::from_base64url(text.substr(kEncoded.size()));
  return bytes ? std::string(bytes->begin(), bytes->end()) : text;
}

}  // namespace

std::vector<Claim> claim(sql::Transaction& transaction, std::string_view projection,
                         const std::vector<eventsourcing::SourcePartition>& partitions) {
  std::vector<std::string> services;
  std::vector<std::uint32_t> logs;
  for (const auto& partition : partitions) {
    services.push_back(partition.service);
    logs.push_back(partition.log.value());
  }
  const sql::Params params{projection, services, logs};
  transaction.execute(kInsertMissingSql, params);
  std::vector<Claim> claims;
  for (const sql::Row& row : transaction.execute(kClaimSql, params)) {
    claims.push_back({{row.text(0), log_at(row, 1)},
                      row.integer(2),
                      core::KafkaOffset(row.integer(3)),
                      position_at(row, 4)});
  }
  if (claims.size() != partitions.size()) {
    throw sql::TransactionFailed(
        core::internal_error("checkpoint rows are missing after the claim"));
  }
  return claims;
}

bool advance(sql::Transaction& transaction, std::string_view projection,
             const std::vector<Step>& steps) {
  if (steps.empty()) return true;
  std::vector<std::string> services;
  std::vector<std::uint32_t> logs;
  std::vector<std::int64_t> generations;
  std::vector<std::uint64_t> from;
  std::vector<std::uint64_t> to;
  std::vector<std::int64_t> offsets;
  for (const Step& step : steps) {
    services.push_back(step.partition.service);
    logs.push_back(step.partition.log.value());
    generations.push_back(step.generation);
    from.push_back(step.from.value());
    to.push_back(step.to.value());
    offsets.push_back(step.next_offset.value());
  }
  const sql::Rows updated = transaction.execute(
      kAdvanceSql, {projection, services, logs, generations, from, to, offsets});
  return updated.size() == steps.size();
}

void restart(sql::Transaction& transaction, std::string_view projection) {
  transaction.execute(kRestartSql, {projection});
}

std::map<eventsourcing::SourcePartition, Held> held(sql::Transaction& transaction,
                                                    std::string_view projection) {
  std::map<eventsourcing::SourcePartition, Held> all;
  for (const sql::Row& row : transaction.execute(kHeldSql, {projection})) {
    all[{row.text(0), log_at(row, 1)}] = {position_at(row, 2), core::KafkaOffset(row.integer(3)),
                                          row.integer(4)};
  }
  return all;
}

eventsourcing::PositionVector positions_of(
    const std::map<eventsourcing::SourcePartition, Held>& held) {
  eventsourcing::PositionVector all;
  for (const auto& [partition, one] : held) {
    all.raise(partition.service, partition.log, one.position);
  }
  return all;
}

void park(sql::Transaction& transaction, std::string_view projection,
          const std::vector<ParkedEvent>& events) {
  for (const auto& [event, reason] : events) {
    transaction.execute(
        kParkSql,
        {projection, event.source, event.log, event.position, storable(event.stream.value()),
         event.version, storable(event.id), storable(event.type), event.schema_version, event.time,
         storable(event.data), storable(event.metadata.correlation_id),
         storable(event.metadata.causation_id), storable(event.metadata.traceparent),
         storable(event.metadata.seen), storable(reason)});
  }
}

DeadLetters dead_letters(sql::Transaction& transaction, std::string_view projection) {
  DeadLetters found;
  for (const sql::Row& row : transaction.execute(kParkedSql, {projection})) {
    const auto count = static_cast<std::uint64_t>(row.integer(2));
    found.streams[{row.text(0), stored(row.text(1))}] = count;
    found.count += count;
  }
  for (const sql::Row& row : transaction.execute(kSkippedSql, {projection})) {
    found.skipped.emplace(eventsourcing::SourcePartition{row.text(0), log_at(row, 1)},
                          position_at(row, 2));
  }
  return found;
}

std::vector<eventsourcing::RecordedEvent> marked(sql::Transaction& transaction,
                                                 std::string_view projection) {
  std::vector<eventsourcing::RecordedEvent> events;
  for (const sql::Row& row : transaction.execute(kMarkedSql, {projection})) {
    eventsourcing::RecordedEvent event;
    event.source = row.text(0);
    event.log = log_at(row, 1);
    event.position = position_at(row, 2);
    event.stream = core::StreamId(stored(row.text(3)));
    event.version = core::StreamVersion(static_cast<std::uint64_t>(row.integer(4)));
    event.id = stored(row.text(5));
    event.type = stored(row.text(6));
    event.schema_version = core::SchemaVersion(static_cast<std::uint32_t>(row.integer(7)));
    event.time = row.timestamp_us(8);
    event.data = stored(row.text(9));
    event.metadata = {stored(row.text(10)), stored(row.text(11)), stored(row.text(12)),
                      stored(row.text(13))};
    events.push_back(std::move(event));
  }
  return events;
}

bool record_replayed(sql::Transaction& transaction, std::string_view projection,
                     const std::vector<Replayed>& events) {
  std::vector<std::string> services;
  std::vector<std::uint32_t> logs;
  std::vector<std::uint64_t> positions;
  for (const Replayed& event : events) {
    const auto& [service, log] = event.partition;
    if (event.still_parked) {
      const sql::Rows kept = transaction.execute(
          kKeepParkedSql,
          {projection, service, log, event.position, storable(*event.still_parked)});
      if (kept.empty()) return false;
      continue;
    }
    services.push_back(service);
    logs.push_back(log.value());
    positions.push_back(event.position.value());
  }
  if (services.empty()) return true;
  return transaction.execute(kUnparkSql, {projection, services, logs, positions}).size() ==
         services.size();
}

}  // namespace tideline::postgres::checkpoints
