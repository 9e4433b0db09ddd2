#include "eventsourcing/projection_checkpoints.hpp"

#include "core/encoding.hpp"
#include "core/text.hpp"

namespace tideline::eventsourcing::checkpoints {

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

const char* const kPositionsSql =
    "SELECT service, log, position FROM projection_checkpoint WHERE projection = $1";

const char* const kParkSql =
    "INSERT INTO dead_letter (projection, service, log, position, stream, stream_version, event_id,"
    " type, schema_version, event_time, data, reason)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
    // Parked again after its checkpoint was put back: one row an event, with the latest reason.
    " ON CONFLICT (projection, service, log, position) DO UPDATE SET reason = excluded.reason";

const char* const kParkedSql =
    "SELECT service, stream, count(*) FROM dead_letter WHERE projection = $1"
    " GROUP BY service, stream";

const char* const kSkippedSql =
    "SELECT service, log, position FROM dead_letter_skip WHERE projection = $1";

namespace {

core::LogIndex log_at(const Row& row, std::size_t column) {
  return core::LogIndex(static_cast<std::uint32_t>(row.integer(column)));
}

core::LogPosition position_at(const Row& row, std::size_t column) {
  return core::LogPosition(static_cast<std::uint64_t>(row.integer(column)));
}

// Whatever made the event unreadable must not keep it out of the table: text columns take no NUL
// and nothing but UTF-8.
std::string storable(const std::string& text) {
  const bool plain = core::code_points(text) && text.find('\0') == std::string::npos;
  return plain ? text : "base64url:" + core::to_base64url(core::as_bytes(text));
}

}  // namespace

std::vector<Claim> claim(Transaction& transaction, std::string_view projection,
                         const std::vector<SourcePartition>& partitions) {
  std::vector<std::string> services;
  std::vector<std::uint32_t> logs;
  for (const auto& partition : partitions) {
    services.push_back(partition.service);
    logs.push_back(partition.log.value());
  }
  const Params params{projection, services, logs};
  transaction.execute(kInsertMissingSql, params);
  std::vector<Claim> claims;
  for (const Row& row : transaction.execute(kClaimSql, params)) {
    claims.push_back({{row.text(0), log_at(row, 1)},
                      row.integer(2),
                      core::KafkaOffset(row.integer(3)),
                      position_at(row, 4)});
  }
  if (claims.size() != partitions.size()) {
    throw TransactionFailed(core::internal_error("checkpoint rows are missing after the claim"));
  }
  return claims;
}

bool advance(Transaction& transaction, std::string_view projection,
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
  const Rows updated = transaction.execute(
      kAdvanceSql, {projection, services, logs, generations, from, to, offsets});
  return updated.size() == steps.size();
}

PositionVector positions(Transaction& transaction, std::string_view projection) {
  PositionVector all;
  for (const Row& row : transaction.execute(kPositionsSql, {projection})) {
    all.raise(row.text(0), log_at(row, 1), position_at(row, 2));
  }
  return all;
}

void park(Transaction& transaction, std::string_view projection,
          const std::vector<ParkedEvent>& events) {
  for (const auto& [event, reason] : events) {
    transaction.execute(kParkSql, {projection, event.source, event.log, event.position,
                                   storable(event.stream.value()), event.version,
                                   storable(event.id), storable(event.type), event.schema_version,
                                   event.time, storable(event.data), storable(reason)});
  }
}

DeadLetters dead_letters(Transaction& transaction, std::string_view projection) {
  DeadLetters found;
  for (const Row& row : transaction.execute(kParkedSql, {projection})) {
    found.streams.emplace(row.text(0), row.text(1));
    found.count += static_cast<std::uint64_t>(row.integer(2));
  }
  for (const Row& row : transaction.execute(kSkippedSql, {projection})) {
    found.skipped.emplace(SourcePartition{row.text(0), log_at(row, 1)}, position_at(row, 2));
  }
  return found;
}

}  // namespace tideline::eventsourcing::checkpoints
