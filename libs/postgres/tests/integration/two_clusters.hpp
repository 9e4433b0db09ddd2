// A service's logs in two PostgreSQL clusters: those with an even number in the binary's shared
// one, the others in one more.
#pragma once

#include <array>
#include <regex>
#include <string>
#include <vector>

#include "fresh_database.hpp"
#include "postgres/connections/log_databases.hpp"
#include "postgres/store/event_store.hpp"

namespace tideline::postgres::testing {

// Started with the first call.
inline test_support::PostgresServer& second_cluster() {
  static test_support::PostgresServer server;
  return server;
}

inline test_support::PostgresServer& cluster(std::size_t index) {
  return index == 0 ? test_support::PostgresServer::shared() : second_cluster();
}

using BothOptions = std::array<DatabaseOptions, 2>;

inline BothOptions fresh_databases(std::uint32_t logs) {
  BothOptions both{empty_database(), options_for(second_cluster().create_database())};
  const MigrationSet base = base_migrations(logs);
  for (const DatabaseOptions& options : both) {
    const auto status = migrate(options, {&base, 1});
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  }
  return both;
}

inline std::string with_port(const std::string& conninfo, int port) {
  return std::regex_replace(conninfo, std::regex("port=[0-9]+"), "port=" + std::to_string(port));
}

// What one process has: a pool for each cluster.
class BothPools {
 public:
  explicit BothPools(const BothOptions& options) : first_(options[0]), second_(options[1]) {}

  LogDatabases places(std::uint32_t logs) {
    std::vector<PooledDatabase*> by_log;
    for (std::uint32_t log = 0; log < logs; ++log) by_log.push_back(&at(log % 2));
    return LogDatabases(by_log);
  }
  PooledDatabase& at(std::size_t index) { return index == 0 ? first_ : second_; }

  std::int64_t count(std::size_t index, const std::string& what) {
    return at(index).query("SELECT count(*) FROM " + what, {}).value().front().integer(0);
  }
  std::int64_t prepared() {
    const std::string ours = "pg_prepared_xacts WHERE database = current_database()";
    return count(0, ours) + count(1, ours);
  }

 private:
  PooledDatabase first_;
  PooledDatabase second_;
};

// Streams that lie in the first cluster and in the second one: "a" + letters.
inline std::string stream_in(std::size_t index, std::uint32_t logs, std::string name) {
  while (core::log_of(name, logs).value() % 2 != index) name += "x";
  return name;
}

}  // namespace tideline::postgres::testing
