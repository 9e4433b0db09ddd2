#include "scoring/projections/calendar_queries.hpp"

#include <charconv>
#include <string>
#include <utility>

#include "core/check.hpp"

namespace tideline::scoring {
namespace {

std::int64_t to_integer(const std::string& digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  CHECK(error == std::errc() && end == digits.data() + digits.size(), "days are bigints");
  return value;
}

}  // namespace

const char* const kFindCalendarSql =
    "SELECT year, month, days FROM calendar WHERE account_id = $1::uuid ORDER BY year, month";

YearCalendar find_calendar(sql::Transaction& transaction, const core::AccountId& account, int year,
                           core::Day today) {
  YearCalendar calendar;
  const core::Day first_current = today - kCurrentScoreSpan + std::chrono::days(1);
  for (const auto& row : transaction.execute(kFindCalendarSql, {account})) {
    const std::chrono::year_month at = std::chrono::year(static_cast<int>(row.integer(0))) /
                                       std::chrono::month(static_cast<unsigned>(row.integer(1)));
    MonthContributions month{static_cast<unsigned>(at.month()), {}};
    unsigned day = 0;
    for (const std::string& digits : row.text_array(2)) {
      ++day;
      const std::int64_t amount = to_integer(digits);
      if (amount == 0) continue;
      calendar.history_score += amount;
      const core::Day date = at / std::chrono::day(day);
      if (date >= first_current && date <= today) calendar.current_score += amount;
      month.days.push_back({day, amount});
    }
    if (static_cast<int>(at.year()) == year && !month.days.empty()) {
      calendar.months.push_back(std::move(month));
    }
  }
  return calendar;
}

}  // namespace tideline::scoring
