#include "postgres/connections/log_databases.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "core/check.hpp"

namespace tideline::postgres {
namespace {

std::string named(const LogDatabases& databases, std::size_t index) {
  std::string logs;
  for (std::uint32_t log = 0; log < databases.logs(); ++log) {
    if (databases.index_of(core::LogIndex(log)) != index) continue;
    logs += (logs.empty() ? "" : ",") + std::to_string(log);
  }
  return "the database of logs " + logs;
}

}  // namespace

LogDatabases::LogDatabases(std::vector<PooledDatabase*> by_log) {
  CHECK(!by_log.empty(), "a service has at least one log");
  for (PooledDatabase* database : by_log) {
    const auto known = std::find(databases_.begin(), databases_.end(), database);
    index_of_.push_back(static_cast<std::size_t>(known - databases_.begin()));
    if (known == databases_.end()) databases_.push_back(database);
  }
}

LogDatabases LogDatabases::all_in(PooledDatabase& database, std::uint32_t logs) {
  return LogDatabases(std::vector<PooledDatabase*>(logs, &database));
}

core::Status check_places(const LogDatabases& databases) {
  if (databases.count() == 1) return core::success();
  std::map<std::string, std::size_t> identities;
  for (std::size_t index = 0; index < databases.count(); ++index) {
    const auto facts = databases.at(index).query(
        "SELECT system_identifier || '/' || oid, current_setting('max_prepared_transactions'),"
        "       current_setting('synchronous_commit')"
        "  FROM pg_control_system(), pg_database WHERE datname = current_database()",
        {});
    if (!facts) return facts.error();
    const auto [same, is_new] = identities.emplace(facts->front().text(0), index);
    if (!is_new) {
      return core::invalid_input(named(databases, index) + " is also " +
                                 named(databases, same->second));
    }
    if (facts->front().text(1) == "0") {
      return core::invalid_input(
          named(databases, index) +
          " has max_prepared_transactions = 0: appends over several databases need at least one"
          " for each replica, and a few to spare");
    }
    if (facts->front().text(2) == "off") {
      return core::invalid_input(
          named(databases, index) +
          " has synchronous_commit = off: a crash could take back what others have followed");
    }
    const auto written =
        databases.at(index).query("SELECT log FROM event_log WHERE position > 0 ORDER BY log", {});
    if (!written) return written.error();
    for (const auto& row : *written) {
      const auto log = static_cast<std::uint32_t>(row.integer(0));
      if (log < databases.logs() && databases.index_of(core::LogIndex(log)) == index) continue;
      return core::invalid_input(named(databases, index) + " has events of log " +
                                 std::to_string(log) + ", which is said to lie elsewhere");
    }
  }
  return core::success();
}

}  // namespace tideline::postgres
