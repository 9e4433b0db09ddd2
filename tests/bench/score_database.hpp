// A database as the scoring service has it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "postgres/database.hpp"
#include "postgres/migrations.hpp"
#include "scoring/migrations.hpp"

namespace tideline::bench {

inline postgres::DatabaseOptions scoring_database(const std::string& conninfo) {
  postgres::DatabaseOptions options;
  options.conninfo = conninfo;
  // Tables may be large.
  options.statement_timeout = std::chrono::milliseconds(0);
  const std::vector<postgres::MigrationSet> sets = {postgres::base_migrations(1),
                                                    {"scoring", scoring::migrations()}};
  const auto migrated = postgres::migrate(options, sets);
  CHECK(migrated.ok(), migrated.ok() ? "" : migrated.error().message.c_str());
  return options;
}

}  // namespace tideline::bench
