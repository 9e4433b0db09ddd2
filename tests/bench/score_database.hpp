// A database as the scoring service has it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "bench/score_wire.hpp"
#include "core/check.hpp"
#include "core/clock.hpp"
#include "eventsourcing/transaction.hpp"
#include "postgres/database.hpp"
#include "postgres/migrations.hpp"
#include "scoring/migrations.hpp"
#include "scoring/projections/engine/member_register.hpp"

namespace tideline::bench {

inline constexpr std::uint32_t kPeopleAtOnce = 50'000;

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

// So many people into table score, with lognormal points, the last of them at `now`.
inline void copy_people(eventsourcing::Transaction& transaction, std::uint32_t members,
                        core::Timestamp now) {
  const std::vector<std::string> columns = {"account_id", "points", "reached_at", "standing"};
  std::mt19937_64 random(1);
  for (std::uint32_t first = 0; first < members; first += kPeopleAtOnce) {
    std::vector<eventsourcing::Params> rows;
    for (std::uint32_t i = first; i < std::min(members, first + kPeopleAtOnce); ++i) {
      rows.push_back({numbered_account(i), lognormal_score(random), now - std::chrono::seconds(i),
                      int{scoring::kRegistered}});
    }
    transaction.copy_in("score", columns, rows);
  }
}

}  // namespace tideline::bench
