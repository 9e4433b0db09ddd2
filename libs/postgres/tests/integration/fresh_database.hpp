// A migrated database of its own for each test, on the test binary's one server.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"
#include "support/postgres_server.hpp"

namespace tideline::postgres::testing {

inline DatabaseOptions options_for(const std::string& conninfo) {
  DatabaseOptions options;
  options.conninfo = conninfo;
  options.connections_max = 4;
  return options;
}

inline DatabaseOptions empty_database() {
  return options_for(test_support::PostgresServer::shared().create_database());
}

inline DatabaseOptions fresh_database(std::uint32_t logs) {
  const DatabaseOptions options = empty_database();
  const MigrationSet base = base_migrations(logs);
  const auto status = migrate(options, {&base, 1});
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  return options;
}

}  // namespace tideline::postgres::testing
