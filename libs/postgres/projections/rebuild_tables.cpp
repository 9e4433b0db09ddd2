#include "postgres/projections/rebuild_tables.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tideline::postgres::rebuild {
namespace {

constexpr const char* kForeignTables = R"(
SELECT format('%I.%I', n.nspname, c.relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND c.relname <> ALL ($2::text[]))";

constexpr const char* kTablesToMove = R"(
SELECT format('%I.%I', n.nspname, c.relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p'))";

constexpr const char* kBytes = R"(
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind = 'r')";

constexpr const char* kPlaces =
    "SELECT service, log, generation, position, next_offset FROM projection_checkpoint"
    " WHERE projection = $1 ORDER BY service, log";

constexpr const char* kCopySkips = R"(
INSERT INTO dead_letter_skip (projection, service, log, position, reason, skipped_by, skipped_at)
SELECT $2, s.service, s.log, s.position, s.reason, s.skipped_by, s.skipped_at
FROM dead_letter_skip s
LEFT JOIN projection_checkpoint c
  ON c.projection = $2 AND c.service = s.service AND c.log = s.log
WHERE s.projection = $1 AND s.position > coalesce(c.position, 0)
ON CONFLICT DO NOTHING)";

constexpr const char* kSkipsPassed = R"(
SELECT s.service || '/' || s.log || '/' || s.position FROM dead_letter_skip s
WHERE s.projection = $1 AND NOT EXISTS (
  SELECT FROM dead_letter_skip c WHERE c.projection = $2 AND c.service = s.service
    AND c.log = s.log AND c.position = s.position)
ORDER BY s.service, s.log, s.position LIMIT 5)";

constexpr const char* kNewDeadLetters = R"(
SELECT p.service || '/' || p.log || '/' || p.position || ' ' || p.type || ': ' || p.reason
FROM dead_letter p
JOIN projection_checkpoint live
  ON live.projection = $1 AND live.service = p.service AND live.log = p.log
WHERE p.projection = $2 AND live.position >= p.position AND NOT EXISTS (
  SELECT FROM dead_letter d WHERE d.projection = $1 AND d.service = p.service AND d.log = p.log
    AND d.position = p.position)
ORDER BY p.service, p.log, p.position LIMIT 5)";

// Sessions of the service that look at the database as it was before $1. Not those that wait for
// the caller's locks, or behind one that does: they are flushes, which will find another
// generation.
constexpr const char* kOlderQueries = R"(
SELECT count(*) FROM pg_stat_activity s
WHERE s.datname = current_database() AND s.pid <> pg_backend_pid()
  AND s.application_name LIKE 'tideline%' AND s.backend_xmin IS NOT NULL
  AND s.xact_start <= $1::timestamptz
  AND NOT EXISTS (
    SELECT FROM unnest(pg_blocking_pids(s.pid)) AS blocker
    WHERE blocker = pg_backend_pid() OR pg_backend_pid() = ANY (pg_blocking_pids(blocker))))";

// Readers that wait for one of these tables wait at most for a few of these attempts, and none of
// them long enough to be taken for part of a deadlock.
constexpr const char* kLockTables = R"(
DO $lock$
BEGIN
  FOR attempt IN 1..30 LOOP
    BEGIN
      PERFORM set_config('lock_timeout', '100ms', true);
      LOCK TABLE $TABLES IN ACCESS EXCLUSIVE MODE;
      RETURN;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      PERFORM pg_sleep(0.05);
    END;
  END LOOP;
  RAISE EXCEPTION 'the tables were never free of queries' USING ERRCODE = 'lock_not_available';
END
$lock$)";

// Functions and types that the migrations made in the copy's schema go with it: a table that moved
// away must not need them.
constexpr const char* kStillNeeded = R"(
WITH left_behind AS (
  SELECT 'pg_proc'::regclass AS class, p.oid FROM pg_proc p
    WHERE p.pronamespace = quote_ident($1)::regnamespace
  UNION ALL SELECT 'pg_type'::regclass, t.oid FROM pg_type t
    WHERE t.typnamespace = quote_ident($1)::regnamespace
  UNION ALL SELECT 'pg_class'::regclass, c.oid FROM pg_class c
    WHERE c.relnamespace = quote_ident($1)::regnamespace)
SELECT DISTINCT pg_describe_object(d.classid, d.objid, d.objsubid) || ' needs '
  || pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
FROM pg_depend d JOIN left_behind kept ON kept.class = d.refclassid AND kept.oid = d.refobjid
WHERE d.deptype = 'n'
  AND NOT EXISTS (SELECT FROM left_behind b WHERE b.class = d.classid AND b.oid = d.objid)
LIMIT 3)";

constexpr const char* kRaiseOwners = R"(
INSERT INTO projection_checkpoint AS live
  (projection, service, log, next_offset, position, generation)
SELECT $1, service, log, next_offset, position, 1 FROM projection_checkpoint WHERE projection = $2
ON CONFLICT (projection, service, log) DO UPDATE
  SET generation = live.generation + 1,
      next_offset = CASE WHEN excluded.position > live.position THEN excluded.next_offset
                         ELSE live.next_offset END,
      position = greatest(live.position, excluded.position))";

// Of one row in the order of its columns' names: tables whose columns were added in another order
// hold the same.
std::string row_of(sql::Transaction& transaction, const std::string& table) {
  const sql::Rows rows = transaction.execute(
      "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attname) FROM pg_attribute"
      " WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped",
      {table});
  return "ROW(" + rows.at(0).text(0) + ")::text";
}

std::string qualified(sql::Transaction& transaction, std::string_view schema,
                      const std::string& table) {
  return transaction.execute("SELECT format('%I.%I', $1::text, $2::text)", {schema, table})
      .at(0)
      .text(0);
}

std::vector<std::string> first_column(const sql::Rows& rows) {
  std::vector<std::string> texts;
  for (const sql::Row& row : rows) texts.push_back(row.text(0));
  return texts;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// The sum of the rows' hashes is the same in every order, and exact.
std::pair<std::int64_t, std::string> digest(sql::Transaction& transaction, const std::string& table,
                                            const std::string& row) {
  const sql::Rows rows = transaction.execute(
      "SELECT count(*), to_hex(count(*)) || ':' ||"
      " coalesce(sum(hashtextextended(" +
      row + ", 0)), 0)::text FROM " + table);
  return {rows.at(0).integer(0), rows.at(0).text(1)};
}

void add_examples(sql::Transaction& transaction, const char* side, const std::string& here,
                  const std::string& there, const std::string& row, TableComparison& found) {
  constexpr std::int64_t kRowsMax = 2'000'000;
  if (std::max(found.rows_old, found.rows_new) > kRowsMax) return;
  const sql::Rows rows =
      transaction.execute("SELECT left(row_text, 300) FROM (SELECT " + row + " AS row_text FROM " +
                          here + " EXCEPT ALL SELECT " + row + " FROM " + there + ") d LIMIT 3");
  for (const sql::Row& example : rows) found.examples.push_back(side + example.text(0));
}

}  // namespace

Names::Names(std::string_view projection, std::vector<std::string> tables_)
    : live(projection),
      copy(live + "@rebuild"),
      schema("rebuild_" + live),
      tables(std::move(tables_)) {
  std::replace(schema.begin(), schema.end(), '-', '_');
}

std::string live_schema(sql::Transaction& transaction) {
  return transaction.execute("SELECT current_schema()").at(0).text(0);
}

std::optional<std::string> schema_mark(sql::Transaction& transaction, const Names& names) {
  const sql::Rows rows = transaction.execute(
      "SELECT coalesce(obj_description(oid, 'pg_namespace'), '') FROM pg_namespace"
      " WHERE nspname = $1",
      {names.schema});
  if (rows.empty()) return std::nullopt;
  return rows[0].text(0);
}

void drop_foreign_tables(sql::Transaction& transaction, const Names& names) {
  const auto foreign =
      first_column(transaction.execute(kForeignTables, {names.schema, names.tables}));
  if (!foreign.empty()) transaction.execute("DROP TABLE " + joined(foreign));
}

void enter_schema(sql::Transaction& transaction, const Names& names, std::string_view live_schema) {
  transaction.execute(
      "SELECT set_config('search_path', quote_ident($1) || ', ' || quote_ident($2), true),"
      " set_config('synchronous_commit', 'off', true), set_config('statement_timeout', '0', true)",
      {names.schema, live_schema});
}

void drop_copy(sql::Transaction& transaction, const Names& names) {
  const std::string schema =
      transaction.execute("SELECT quote_ident($1)", {names.schema}).at(0).text(0);
  transaction.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
  for (const char* table : {"projection_checkpoint", "dead_letter", "dead_letter_skip"}) {
    transaction.execute("DELETE FROM " + std::string(table) + " WHERE projection = $1",
                        {names.copy});
  }
}

void analyze_copy(sql::Transaction& transaction, const Names& names) {
  transaction.execute("SET LOCAL statement_timeout = 0");
  for (const std::string& table : names.tables) {
    transaction.execute("ANALYZE " + qualified(transaction, names.schema, table));
  }
}

std::int64_t copy_bytes(sql::Transaction& transaction, const Names& names) {
  return transaction.execute(kBytes, {names.schema}).at(0).integer(0);
}

std::vector<Place> places(sql::Transaction& transaction, std::string_view projection, bool locked) {
  std::vector<Place> found;
  const std::string sql = std::string(kPlaces) + (locked ? " FOR UPDATE" : "");
  for (const sql::Row& row : transaction.execute(sql, {projection})) {
    found.push_back({{row.text(0), core::LogIndex(static_cast<std::uint32_t>(row.integer(1)))},
                     row.integer(2),
                     core::LogPosition(static_cast<std::uint64_t>(row.integer(3))),
                     core::KafkaOffset(row.integer(4))});
  }
  return found;
}

std::vector<std::string> take_over_skips(sql::Transaction& transaction, const Names& names) {
  transaction.execute(kCopySkips, {names.live, names.copy});
  return first_column(transaction.execute(kSkipsPassed, {names.live, names.copy}));
}

std::vector<std::string> new_dead_letters(sql::Transaction& transaction, const Names& names) {
  return first_column(transaction.execute(kNewDeadLetters, {names.live, names.copy}));
}

void take_snapshot(sql::Transaction& view) { view.execute("SELECT 1"); }

Comparison compare(sql::Transaction& transaction, const Names& names,
                   std::string_view live_schema) {
  transaction.execute("SET LOCAL statement_timeout = 0");
  Comparison all;
  std::string old_digests;
  std::string new_digests;
  for (const std::string& table : names.tables) {
    const std::string old_table = qualified(transaction, live_schema, table);
    const std::string new_table = qualified(transaction, names.schema, table);
    const std::string old_row = row_of(transaction, old_table);
    const std::string new_row = row_of(transaction, new_table);
    TableComparison found;
    found.table = table;
    std::tie(found.rows_old, found.digest_old) = digest(transaction, old_table, old_row);
    std::tie(found.rows_new, found.digest_new) = digest(transaction, new_table, new_row);
    found.equal = old_row == new_row && found.digest_old == found.digest_new;
    if (!found.equal && old_row == new_row) {
      add_examples(transaction, "old ", old_table, new_table, old_row, found);
      add_examples(transaction, "new ", new_table, old_table, new_row, found);
    }
    all.equal = all.equal && found.equal;
    old_digests.append(table).append("=").append(found.digest_old).append(";");
    new_digests.append(table).append("=").append(found.digest_new).append(";");
    all.tables.push_back(std::move(found));
  }
  const sql::Rows sums = transaction.execute("SELECT md5($1), md5($2)", {old_digests, new_digests});
  all.digest_old = sums.at(0).text(0);
  all.digest_new = sums.at(0).text(1);
  return all;
}

bool older_queries_are_over(sql::Transaction& transaction) {
  constexpr int kAttempts = 100;
  const std::string now = transaction.execute("SELECT clock_timestamp()::text").at(0).text(0);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (transaction.execute(kOlderQueries, {now}).at(0).integer(0) == 0) return true;
    // What pg_stat_activity said once, it says until the transaction ends.
    transaction.execute("SELECT pg_stat_clear_snapshot(), pg_sleep(0.01)");
  }
  return false;
}

void exchange(sql::Transaction& transaction, const Names& names, std::string_view live_schema) {
  std::vector<std::string> old_tables;
  for (const std::string& table : names.tables) {
    old_tables.push_back(qualified(transaction, live_schema, table));
  }
  std::string lock = kLockTables;
  lock.replace(lock.find("$TABLES"), 7, joined(old_tables));
  transaction.execute(lock);
  transaction.execute("DROP TABLE " + joined(old_tables));
  const std::string target =
      transaction.execute("SELECT quote_ident($1)", {live_schema}).at(0).text(0);
  for (const std::string& table :
       first_column(transaction.execute(kTablesToMove, {names.schema}))) {
    std::string move = "ALTER TABLE ";
    move.append(table).append(" SET SCHEMA ").append(target);
    transaction.execute(move);
  }
  const auto needed = first_column(transaction.execute(kStillNeeded, {names.schema}));
  if (!needed.empty()) {
    throw sql::TransactionFailed(core::internal_error("the tables cannot leave schema " +
                                                      names.schema + ": " + joined(needed)));
  }
  transaction.execute(kRaiseOwners, {names.live, names.copy});
  transaction.execute("DELETE FROM dead_letter WHERE projection = $1", {names.live});
  transaction.execute("UPDATE dead_letter SET projection = $1 WHERE projection = $2",
                      {names.live, names.copy});
  drop_copy(transaction, names);
}

}  // namespace tideline::postgres::rebuild
