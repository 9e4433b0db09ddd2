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
#include "eventsourcing/events/event.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"
#include "scoring/migrations.hpp"
#include "scoring/projections/engine/member_register.hpp"
#include "scoring/projections/engine/score_engine.hpp"
#include "sql/transaction.hpp"

namespace tideline::bench {

inline constexpr std::uint32_t kPeopleAtOnce = 50'000;
inline constexpr std::uint32_t kPendingMax = 100'000;

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
inline void copy_people(sql::Transaction& transaction, std::uint32_t members, core::Timestamp now) {
  const std::vector<std::string> columns = {"account_id", "points", "reached_at", "standing"};
  std::mt19937_64 random(1);
  for (std::uint32_t first = 0; first < members; first += kPeopleAtOnce) {
    std::vector<sql::Params> rows;
    for (std::uint32_t i = first; i < std::min(members, first + kPeopleAtOnce); ++i) {
      rows.push_back({numbered_account(i), lognormal_score(random), now - std::chrono::seconds(i),
                      int{scoring::kRegistered}});
    }
    transaction.copy_in("score", columns, rows);
  }
}

struct FlushTimes {
  double flush_s = 0;
  double fold_s = 0;  // of what it has deferred
};

// As many people as a flush has at most, evenly of all members, sign in at `now`: the neighbours of
// those of the last `turn`.
inline FlushTimes measure_flush(scoring::ScoreEngine& engine, postgres::PooledDatabase& database,
                                std::uint32_t members, core::Timestamp now,
                                std::uint32_t turn = 0) {
  const std::uint32_t step = std::max<std::uint32_t>(1, members / kPendingMax);
  for (std::uint32_t i = 0; i < kPendingMax; ++i) {
    eventsourcing::RecordedEvent event;
    event.source = "accounts";
    event.type = "SignedIn";
    event.position = core::LogPosition(std::uint64_t{turn} * kPendingMax + i + 1);
    event.time = now;
    event.data =
        R"({"account_id":")" + numbered_account(i * step + turn % step).to_string() + R"("})";
    engine.apply(event);
  }
  const auto seconds_of = [&](const auto& work) {
    const auto start = std::chrono::steady_clock::now();
    const core::Status done = work();
    CHECK(done.ok(), done.ok() ? "" : done.error().message.c_str());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  FlushTimes times;
  times.flush_s = seconds_of([&] {
    CHECK(engine.prepare_flush().state == eventsourcing::Preparation::State::Done,
          "nobody else settles days");
    return database.transact([&](sql::Transaction& transaction) { engine.flush(transaction); });
  });
  engine.flushed();
  times.fold_s = seconds_of([&] {
    return database.transact(
        [&](sql::Transaction& transaction) { engine.apply_deferred(transaction); });
  });
  return times;
}

}  // namespace tideline::bench
