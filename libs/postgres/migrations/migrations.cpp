#include "postgres/migrations/migrations.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>

#include "postgres/connections/session.hpp"

namespace tideline::postgres {
namespace {

using sql::TransactionFailed;

// Of the advisory lock that one migrating process holds ("TideMigr").
constexpr std::int64_t kMigrationLock = 0x546964654D696772;

// `programs_from`: how many steps of its part a program must know to go on over this one.
constexpr const char* kJournalSql =
    "CREATE TABLE IF NOT EXISTS schema_migration ("
    " part text NOT NULL, id int NOT NULL, name text NOT NULL, checksum text NOT NULL,"
    " applied_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (part, id));"
    "ALTER TABLE schema_migration ADD COLUMN IF NOT EXISTS programs_from int NOT NULL DEFAULT 0";
constexpr const char* kHasJournalSql =
    "SELECT count(*) FROM information_schema.columns WHERE table_schema = current_schema()"
    " AND table_name = 'schema_migration' AND column_name = 'programs_from'";

struct Recorded {
  std::string name;
  std::string checksum;
  int programs_from = 0;
};
using RecordedSteps = std::map<int, Recorded>;

[[noreturn]] void refuse(const std::string& part, int id, const std::string& why) {
  throw TransactionFailed(
      core::invalid_input("migration " + part + "/" + std::to_string(id) + " " + why));
}

RecordedSteps recorded_steps(Session& session, const std::string& part) {
  RecordedSteps steps;
  const auto rows = session.execute(
      "SELECT id, name, checksum, programs_from FROM schema_migration WHERE part = $1", {part});
  for (const auto& row : rows) {
    steps[static_cast<int>(row.integer(0))] = {row.text(1), row.text(2),
                                               static_cast<int>(row.integer(3))};
  }
  return steps;
}

// Of a first line "-- contracts: 4".
int programs_from(const std::string& part, const Migration& step) {
  constexpr std::string_view kMark = "-- contracts: ";
  if (!step.sql.starts_with(kMark)) return 0;
  int steps = 0;
  const char* begin = step.sql.data() + kMark.size();
  const char* end = step.sql.data() + std::min(step.sql.find('\n'), step.sql.size());
  const auto [read, error] = std::from_chars(begin, end, steps);
  if (error != std::errc() || read != end || steps < 1 || steps > step.id) {
    refuse(part, step.id, "contracts to programs of an impossible number of steps");
  }
  return steps;
}

std::string checksum_of(Session& session, const Migration& step) {
  return session.execute("SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')", {step.sql})
      .front()
      .text(0);
}

// What this program must not run over: steps that were changed, and later ones that took away what
// it uses.
void check(Session& session, const MigrationSet& set, const RecordedSteps& recorded) {
  const int known = static_cast<int>(set.migrations.size());
  for (const auto& [id, step] : recorded) {
    if (id > known && step.programs_from > known) {
      refuse(set.part, id, "took away what this version uses");
    }
  }
  int expected = 0;
  for (const Migration& step : set.migrations) {
    if (step.id != ++expected) refuse(set.part, step.id, "is out of order");
    const auto before = recorded.find(step.id);
    if (before == recorded.end()) continue;
    if (before->second.name != step.name || before->second.checksum != checksum_of(session, step)) {
      refuse(set.part, step.id,
             "was '" + before->second.name + "' when it ran and has been changed since ('" +
                 step.name + "')");
    }
  }
}

void apply(Session& session, const std::string& part, const Migration& step) {
  session.execute_script("BEGIN");
  session.execute_script(step.sql);
  session.execute(
      "INSERT INTO schema_migration (part, id, name, checksum, programs_from)"
      " VALUES ($1, $2, $3, $4, $5)",
      {part, step.id, step.name, checksum_of(session, step), programs_from(part, step)});
  session.execute_script("COMMIT");
}

void migrate_set(Session& session, const MigrationSet& set) {
  const RecordedSteps recorded = recorded_steps(session, set.part);
  check(session, set, recorded);
  for (const Migration& step : set.migrations) {
    if (recorded.contains(step.id)) continue;
    try {
      apply(session, set.part, step);
    } catch (const TransactionFailed& failed) {
      session.roll_back();
      core::Error error = failed.error();
      error.message = "migration " + set.part + "/" + step.name + ": " + error.message;
      throw TransactionFailed(std::move(error));
    }
  }
}

}  // namespace

core::Status migrate(const DatabaseOptions& database, std::span<const MigrationSet> sets) {
  DatabaseOptions patient = database;
  patient.statement_timeout = std::chrono::milliseconds(0);
  patient.lock_timeout = std::chrono::milliseconds(0);
  try {
    Session session(patient, "migration");
    session.execute("SELECT pg_advisory_lock($1)", {kMigrationLock});
    session.execute_script(kJournalSql);
    for (const MigrationSet& set : sets) migrate_set(session, set);
    session.execute("SELECT pg_advisory_unlock($1)", {kMigrationLock});
    return core::success();
  } catch (const TransactionFailed& failed) {
    return failed.error();
  }
}

core::Result<bool> is_migrated(const DatabaseOptions& database,
                               std::span<const MigrationSet> sets) {
  try {
    Session session(database, "migration");
    if (session.execute(kHasJournalSql, {}).front().integer(0) == 0) return false;
    bool all = true;
    for (const MigrationSet& set : sets) {
      const RecordedSteps recorded = recorded_steps(session, set.part);
      check(session, set, recorded);
      all = all && std::all_of(set.migrations.begin(), set.migrations.end(),
                               [&](const Migration& step) { return recorded.contains(step.id); });
    }
    return all;
  } catch (const TransactionFailed& failed) {
    return failed.error();
  }
}

core::Status migrate_into_schema(const DatabaseOptions& database, const std::string& schema,
                                 const std::string& mark, std::span<const MigrationSet> sets) {
  DatabaseOptions patient = database;
  patient.statement_timeout = std::chrono::milliseconds(0);
  try {
    Session session(patient, "migration");
    session.execute_script("BEGIN");
    const std::string name = session.execute("SELECT quote_ident($1)", {schema}).front().text(0);
    session.execute_script("CREATE SCHEMA " + name);
    session.execute_script("COMMENT ON SCHEMA " + name + " IS " + session.quote(mark));
    session.execute("SELECT set_config('search_path', $1 || ', ' || current_schema(), true)",
                    {name});
    for (const MigrationSet& set : sets) {
      for (const Migration& step : set.migrations) session.execute_script(step.sql);
    }
    session.execute_script("COMMIT");
    return core::success();
  } catch (const TransactionFailed& failed) {
    return failed.error();
  }
}

}  // namespace tideline::postgres
