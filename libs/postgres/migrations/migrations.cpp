#include "postgres/migrations/migrations.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "postgres/connections/session.hpp"

namespace tideline::postgres {
namespace {

using sql::TransactionFailed;

// Of the advisory lock that one migrating process holds ("TideMigr").
constexpr std::int64_t kMigrationLock = 0x546964654D696772;

constexpr const char* kJournalSql =
    "CREATE TABLE IF NOT EXISTS schema_migration ("
    " part text NOT NULL, id int NOT NULL, name text NOT NULL, checksum text NOT NULL,"
    " applied_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (part, id))";

struct Recorded {
  std::string name;
  std::string checksum;
};

[[noreturn]] void refuse(const std::string& part, int id, const std::string& why) {
  throw TransactionFailed(
      core::invalid_input("migration " + part + "/" + std::to_string(id) + " " + why));
}

std::map<int, Recorded> recorded_steps(Session& session, const std::string& part) {
  std::map<int, Recorded> steps;
  const auto rows =
      session.execute("SELECT id, name, checksum FROM schema_migration WHERE part = $1", {part});
  for (const auto& row : rows) {
    steps[static_cast<int>(row.integer(0))] = {row.text(1), row.text(2)};
  }
  return steps;
}

void apply(Session& session, const std::string& part, const Migration& step,
           const std::string& checksum) {
  session.execute_script("BEGIN");
  session.execute_script(step.sql);
  session.execute("INSERT INTO schema_migration (part, id, name, checksum) VALUES ($1, $2, $3, $4)",
                  {part, step.id, step.name, checksum});
  session.execute_script("COMMIT");
}

void migrate_set(Session& session, const MigrationSet& set) {
  const auto recorded = recorded_steps(session, set.part);
  const int known = static_cast<int>(set.migrations.size());
  if (!recorded.empty() && recorded.rbegin()->first > known) {
    refuse(set.part, recorded.rbegin()->first, "ran once but this version does not know it");
  }
  int expected = 0;
  for (const Migration& step : set.migrations) {
    if (step.id != ++expected) refuse(set.part, step.id, "is out of order");
    const std::string checksum =
        session.execute("SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')", {step.sql})
            .front()
            .text(0);
    const auto before = recorded.find(step.id);
    if (before == recorded.end()) {
      try {
        apply(session, set.part, step, checksum);
      } catch (const TransactionFailed& failed) {
        session.roll_back();
        core::Error error = failed.error();
        error.message = "migration " + set.part + "/" + step.name + ": " + error.message;
        throw TransactionFailed(std::move(error));
      }
    } else if (before->second.name != step.name || before->second.checksum != checksum) {
      refuse(set.part, step.id,
             "was '" + before->second.name + "' when it ran and has been changed since ('" +
                 step.name + "')");
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
