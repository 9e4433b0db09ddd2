#include "scoring/projections/calendar_queries.hpp"

#include <algorithm>
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

// A total is what is folded into table score and what is not yet (score_delta). There a person has
// one place in the arrays of a flush.
const char* const kFindCalendarSql = R"(
SELECT 'wanted', year, month, days FROM calendar
WHERE account_id = $1::uuid AND year = $2::smallint
  AND month BETWEEN $3::smallint AND $4::smallint
UNION ALL
SELECT 'recent', year, month, days FROM calendar
WHERE account_id = $1::uuid AND (year, month) >= ($5::smallint, $6::smallint)
  AND (year, month) <= ($7::smallint, $8::smallint)
UNION ALL
SELECT 'total', NULL, NULL, ARRAY[coalesce(sum(contributions), 0)::bigint] FROM (
  SELECT contributions FROM score WHERE account_id = $1::uuid
  UNION ALL
  SELECT contributions[array_position(accounts, $1::uuid)] FROM score_delta
  WHERE $1::uuid = ANY (accounts)
) AS part)";

namespace {

std::vector<DayContribution> days_of(const sql::Row& row) {
  std::vector<DayContribution> days;
  unsigned day = 0;
  for (const std::string& digits : row.text_array(3)) {
    ++day;
    const std::int64_t amount = to_integer(digits);
    if (amount != 0) days.push_back({day, amount});
  }
  return days;
}

std::int64_t sum_between(const sql::Row& row, core::Day first, core::Day last) {
  const std::chrono::year_month at = std::chrono::year(static_cast<int>(row.integer(1))) /
                                     std::chrono::month(static_cast<unsigned>(row.integer(2)));
  std::int64_t sum = 0;
  for (const DayContribution& of : days_of(row)) {
    const core::Day date = at / std::chrono::day(of.day);
    if (date >= first && date <= last) sum += of.contributions;
  }
  return sum;
}

}  // namespace

YearCalendar find_calendar(sql::Transaction& transaction, const core::AccountId& account,
                           const CalendarMonths& wanted, core::Day today) {
  YearCalendar calendar;
  const core::Day first_current = today - kCurrentScoreSpan + std::chrono::days(1);
  const std::chrono::year_month_day from(first_current);
  const std::chrono::year_month_day to(today);
  const auto month_of = [](const auto& date) { return static_cast<unsigned>(date.month()); };
  for (const auto& row :
       transaction.execute(kFindCalendarSql, {account, wanted.year, wanted.first, wanted.last,
                                              static_cast<int>(from.year()), month_of(from),
                                              static_cast<int>(to.year()), month_of(to)})) {
    const std::string part = row.text(0);
    if (part == "total") {
      calendar.history_score = to_integer(row.text_array(3).front());
    } else if (part == "recent") {
      calendar.current_score += sum_between(row, first_current, today);
    } else if (auto days = days_of(row); !days.empty()) {
      calendar.months.push_back({static_cast<unsigned>(row.integer(2)), std::move(days)});
    }
  }
  std::ranges::sort(calendar.months, {}, &MonthContributions::month);
  return calendar;
}

}  // namespace tideline::scoring
