#include "postgres/projections/dead_letters.hpp"

#include <charconv>
#include <set>

namespace tideline::postgres {
namespace {

// First of all in every transaction here: the runner's flush begins with the same rows, so the two
// come one after the other. The generation sends the owner back to the tables.
constexpr const char* kSendBackSql =
    "UPDATE projection_checkpoint SET generation = generation + 1 WHERE projection = $1"
    " AND (service, log) IN (SELECT * FROM unnest($2::text[], $3::int[]))";

constexpr const char* kListSql =
    "SELECT projection, service, log, position, type, stream,"
    " (extract(epoch FROM parked_at) * 1000000)::bigint, replay_requested_at IS NOT NULL, reason"
    " FROM dead_letter WHERE $1 = '' OR projection = $1"
    " ORDER BY projection, service, log, position";

constexpr const char* kStreamSql =
    "SELECT stream FROM dead_letter WHERE projection = $1 AND service = $2 AND log = $3"
    " AND position = $4";

constexpr const char* kPartitionsSql =
    "SELECT DISTINCT service, log FROM dead_letter WHERE projection = $1 ORDER BY service, log";

constexpr const char* kMarkAllSql =
    "UPDATE dead_letter SET replay_requested_at = now() WHERE projection = $1 RETURNING position";

constexpr const char* kMarkStreamSql =
    "UPDATE dead_letter SET replay_requested_at = now() WHERE projection = $1 AND service = $2"
    " AND log = $3 AND stream = $4 RETURNING position";

constexpr const char* kSkipSql =
    "WITH gone AS (DELETE FROM dead_letter WHERE projection = $1 AND service = $2 AND log = $3"
    " AND position = $4 RETURNING *)"
    " INSERT INTO dead_letter_skip (projection, service, log, position, reason, skipped_by, stream,"
    " type, parked_reason) SELECT projection, service, log, position, $5, $6, stream, type, reason"
    " FROM gone RETURNING stream";

// Those of the stream that lie behind position $5, unless one lies before it.
constexpr const char* kMarkBehindSql =
    "UPDATE dead_letter d SET replay_requested_at = now() WHERE projection = $1 AND service = $2"
    " AND log = $3 AND stream = $4 AND NOT EXISTS (SELECT FROM dead_letter e"
    " WHERE e.projection = $1 AND e.service = $2 AND e.log = $3 AND e.stream = $4"
    " AND e.position < $5) RETURNING position";

[[noreturn]] void not_parked(std::string_view projection, const DeadLetterPlace& place) {
  throw sql::TransactionFailed({core::ErrorCode::NotFound,
                                place.to_text() + " is not parked in " + std::string(projection),
                                false});
}

void send_back(sql::Transaction& transaction, std::string_view projection,
               const std::set<eventsourcing::SourcePartition>& partitions) {
  std::vector<std::string> services;
  std::vector<std::uint32_t> logs;
  for (const auto& [service, log] : partitions) {
    services.push_back(service);
    logs.push_back(log.value());
  }
  transaction.execute(kSendBackSql, {projection, services, logs});
}

core::LogIndex log_at(const sql::Row& row, std::size_t column) {
  return core::LogIndex(static_cast<std::uint32_t>(row.integer(column)));
}

std::size_t mark_all(sql::Transaction& transaction, std::string_view projection) {
  std::set<eventsourcing::SourcePartition> partitions;
  for (const sql::Row& row : transaction.execute(kPartitionsSql, {projection})) {
    partitions.insert({row.text(0), log_at(row, 1)});
  }
  send_back(transaction, projection, partitions);
  return transaction.execute(kMarkAllSql, {projection}).size();
}

std::size_t mark_streams(sql::Transaction& transaction, std::string_view projection,
                         std::span<const DeadLetterPlace> places) {
  std::set<eventsourcing::SourcePartition> partitions;
  for (const DeadLetterPlace& place : places) partitions.insert(place.partition);
  send_back(transaction, projection, partitions);
  std::set<std::pair<eventsourcing::SourcePartition, std::string>> streams;
  for (const DeadLetterPlace& place : places) {
    const auto& [service, log] = place.partition;
    const sql::Rows found =
        transaction.execute(kStreamSql, {projection, service, log, place.position});
    if (found.empty()) not_parked(projection, place);
    streams.emplace(place.partition, found[0].text(0));
  }
  std::size_t marked = 0;
  for (const auto& [partition, stream] : streams) {
    marked +=
        transaction.execute(kMarkStreamSql, {projection, partition.service, partition.log, stream})
            .size();
  }
  return marked;
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Runs `work` in a transaction and returns what it counts.
template <class Work>
core::Result<std::size_t> counted(sql::Database& database, const Work& work) {
  std::size_t count = 0;
  const auto done =
      database.transact([&](sql::Transaction& transaction) { count = work(transaction); });
  if (!done) return done.error();
  return count;
}

}  // namespace

std::optional<DeadLetterPlace> DeadLetterPlace::parse(std::string_view text) {
  const auto last = text.rfind('/');
  if (last == std::string_view::npos || last == 0) return std::nullopt;
  const auto middle = text.rfind('/', last - 1);
  if (middle == std::string_view::npos || middle == 0) return std::nullopt;
  const auto log = parse_number<std::uint32_t>(text.substr(middle + 1, last - middle - 1));
  const auto position = parse_number<std::uint64_t>(text.substr(last + 1));
  if (!log || !position) return std::nullopt;
  return DeadLetterPlace{{std::string(text.substr(0, middle)), core::LogIndex(*log)},
                         core::LogPosition(*position)};
}

std::string DeadLetterPlace::to_text() const {
  return partition.service + "/" + std::to_string(partition.log.value()) + "/" +
         std::to_string(position.value());
}

core::Result<std::vector<DeadLetter>> list_dead_letters(sql::Database& database,
                                                        std::string_view projection) {
  return database.read([&](sql::Transaction& transaction) {
    std::vector<DeadLetter> letters;
    for (const sql::Row& row : transaction.execute(kListSql, {projection})) {
      letters.push_back({row.text(0),
                         {{row.text(1), log_at(row, 2)},
                          core::LogPosition(static_cast<std::uint64_t>(row.integer(3)))},
                         row.text(4),
                         row.text(5),
                         row.timestamp_us(6),
                         row.boolean(7),
                         row.text(8)});
    }
    return letters;
  });
}

core::Result<std::size_t> replay_dead_letters(sql::Database& database, std::string_view projection,
                                              std::span<const DeadLetterPlace> places) {
  return counted(database, [&](sql::Transaction& transaction) {
    return places.empty() ? mark_all(transaction, projection)
                          : mark_streams(transaction, projection, places);
  });
}

core::Result<std::size_t> skip_dead_letter(sql::Database& database, std::string_view projection,
                                           const DeadLetterPlace& place, std::string_view reason,
                                           std::string_view skipped_by) {
  if (reason.empty() || skipped_by.empty()) {
    return core::invalid_input("a skip needs its reason and who decided it");
  }
  return counted(database, [&](sql::Transaction& transaction) {
    const auto& [service, log] = place.partition;
    send_back(transaction, projection, {place.partition});
    const sql::Rows skipped = transaction.execute(
        kSkipSql, {projection, service, log, place.position, reason, skipped_by});
    if (skipped.empty()) not_parked(projection, place);
    return transaction
        .execute(kMarkBehindSql, {projection, service, log, skipped[0].text(0), place.position})
        .size();
  });
}

}  // namespace tideline::postgres
