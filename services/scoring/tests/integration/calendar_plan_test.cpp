// How many rows PostgreSQL reads for a calendar.

#include <gtest/gtest.h>

#include <cstdint>
#include <regex>
#include <string>

#include "scoring/projections/calendar_queries.hpp"
#include "scoring/tests/histories.hpp"
#include "scoring/tests/integration/scoring_database.hpp"

namespace tideline::scoring {
namespace {

// Of a person with a century of calendars.
TEST(CalendarPlan, ACalendarReadsTheRowsOfItsYearAndOfTheLastDays) {
  postgres::PooledDatabase database{scoring_database()};
  const core::AccountId who = account_with(1);
  const auto rows_read = [&](int first, int last) {
    std::int64_t rows = 0;
    const auto status = database.transact([&](sql::Transaction& transaction) {
      transaction.execute("SET LOCAL plan_cache_mode = force_custom_plan");
      transaction.execute(
          "INSERT INTO calendar SELECT $1::uuid, year, month, array_fill(1::bigint, ARRAY[31])"
          " FROM generate_series(1950, 2049) AS year, generate_series(1, 12) AS month"
          " ON CONFLICT DO NOTHING",
          {who});
      for (const auto& row :
           transaction.execute("EXPLAIN (ANALYZE, TIMING OFF) " + std::string(kFindCalendarSql),
                               {who, 2011, first, last, 2026, 2, 2026, 3})) {
        const std::string line = row.text(0);
        EXPECT_EQ(line.find("Removed by Filter"), std::string::npos) << line;
        std::smatch found;
        static const std::regex scan("Scan.* on calendar.*actual rows=([0-9]+)");
        if (std::regex_search(line, found, scan)) rows += std::stoll(found[1]);
      }
    });
    EXPECT_TRUE(status.ok()) << status.error().message;
    return rows;
  };
  EXPECT_EQ(rows_read(1, 12), 12 + 2);
  EXPECT_EQ(rows_read(5, 5), 1 + 2);
}

}  // namespace
}  // namespace tideline::scoring
