#include "accounts/projections/score_queries.hpp"

namespace tideline::accounts {
namespace {

std::optional<std::int64_t> nullable_integer(const sql::Row& row, std::size_t column) {
  if (row.is_null(column)) return std::nullopt;
  return row.integer(column);
}

}  // namespace

// A row for each day that is not empty; one without a day where there is none.
const char* const kFindScoreSql =
    "SELECT version, as_of, points, level, rank, contributions, day, amount FROM account_score"
    " LEFT JOIN unnest(days, day_contributions) AS of_day (day, amount) ON true"
    " WHERE account_id = $1::uuid AND NOT closed ORDER BY day";

std::optional<PublishedScore> find_score(sql::Transaction& transaction,
                                         const core::AccountId& account) {
  const auto rows = transaction.execute(kFindScoreSql, {account});
  if (rows.empty()) return std::nullopt;
  const auto& first = rows.front();
  PublishedScore score{.version = first.integer(0),
                       .as_of = first.day(1),
                       .closed = false,
                       .points = nullable_integer(first, 2),
                       .level = nullable_integer(first, 3),
                       .rank = nullable_integer(first, 4),
                       .contributions = nullable_integer(first, 5)};
  for (const auto& row : rows) {
    if (row.is_null(6)) continue;
    score.days.push_back(row.day(6));
    score.day_contributions.push_back(row.integer(7));
  }
  return score;
}

std::int64_t current_score(const PublishedScore& score, core::Day today) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < score.days.size(); ++i) {
    const bool counts = score.days[i] > today - kCurrentScoreSpan && score.days[i] <= today;
    if (counts) sum += score.day_contributions[i];
  }
  return sum;
}

}  // namespace tideline::accounts
