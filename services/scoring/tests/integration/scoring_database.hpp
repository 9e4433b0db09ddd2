// A database of its own with every table of scoring, on the test binary's PostgreSQL.
#pragma once

#include <string>
#include <vector>

#include "blocks/blocks.hpp"
#include "core/check.hpp"
#include "people/people_directory.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"
#include "scoring/migrations.hpp"
#include "support/postgres_server.hpp"

namespace tideline::scoring {

inline constexpr std::uint32_t kLogs = 1;

inline postgres::DatabaseOptions scoring_database() {
  postgres::DatabaseOptions options;
  options.conninfo = test_support::PostgresServer::shared().create_database();
  const std::vector<postgres::MigrationSet> sets = {
      postgres::base_migrations(kLogs),
      {"people",
       {{1, "person", people::kPersonTableSql},
        {2, "person_profile", people::kPersonProfileTableSql},
        {3, "person_avatar", people::kPersonAvatarSql}}},
      {"blocks", {{1, "person_block", blocks::kBlockTableSql}}},
      {"scoring", migrations()}};
  const auto migrated = postgres::migrate(options, sets);
  CHECK(migrated.ok(), migrated.ok() ? "" : migrated.error().message.c_str());
  return options;
}

}  // namespace tideline::scoring
