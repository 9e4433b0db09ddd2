#include "scoring/projections/score_states.hpp"

#include "scoring/projections/engine/member_register.hpp"

namespace tideline::scoring {
namespace {

// With what is deferred: the engine folds later, and the days of a flush are in the calendar at
// once. Places of a month that it does not have are empty, so make_date never meets one.
constexpr const char* kFindStates = R"(
SELECT account_id, events, points, contributions, standing, day, amount
FROM (
  SELECT account_id, sum(events)::bigint AS events, sum(points)::bigint AS points,
         sum(contributions)::bigint AS contributions, bit_or(standing) AS standing
  FROM (
    SELECT account_id, events, points, contributions, standing FROM score
    WHERE account_id = ANY($1::uuid[])
    UNION ALL
    SELECT account_id, of_flush.events, of_flush.points, of_flush.contributions, of_flush.standing
    FROM score_delta
    CROSS JOIN unnest(accounts, events, points, contributions, standing)
      AS of_flush (account_id, events, points, contributions, standing)
    JOIN unnest($1::uuid[]) AS wanted (account_id) USING (account_id)
  ) AS part
  GROUP BY account_id
) AS total
LEFT JOIN (
  SELECT account_id, make_date(year, month, place::integer) AS day, amount
  FROM calendar, unnest(days) WITH ORDINALITY AS of_day (amount, place)
  WHERE account_id = ANY($1::uuid[]) AND (year, month) >= ($2::smallint, $3::smallint)
    AND amount <> 0
) AS contribution USING (account_id)
ORDER BY account_id, day)";

}  // namespace

std::vector<ScoreState> find_score_states(sql::Transaction& transaction,
                                          std::span<const core::AccountId> accounts,
                                          core::Day from) {
  const std::chrono::year_month_day date(from);
  std::vector<ScoreState> states;
  const std::vector<core::AccountId> wanted(accounts.begin(), accounts.end());
  const auto rows = transaction.execute(
      kFindStates, {wanted, static_cast<int>(date.year()), static_cast<unsigned>(date.month())});
  for (const auto& row : rows) {
    const core::AccountId account = row.account(0);
    if (states.empty() || states.back().account != account) {
      states.push_back({.account = account,
                        .version = row.integer(1),
                        .points = row.integer(2),
                        .contributions = row.integer(3),
                        .days = {},
                        .day_contributions = {},
                        .closed = (row.integer(4) & kClosed) != 0});
    }
    if (row.is_null(5)) continue;
    states.back().days.push_back(row.day(5));
    states.back().day_contributions.push_back(row.integer(6));
  }
  return states;
}

}  // namespace tideline::scoring
