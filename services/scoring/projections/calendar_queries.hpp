// Reads of table calendar: contributions by day, and the two scores made of them. One statement,
// which touches the rows of the months asked for, those of the last 30 days, and the person's
// total, however many years there are. Queries block on the database.
#pragma once

#include <cstdint>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "sql/transaction.hpp"

namespace tideline::scoring {

struct DayContribution {
  unsigned day = 0;  // 1 to 31
  std::int64_t contributions = 0;
  friend bool operator==(const DayContribution&, const DayContribution&) = default;
};

struct MonthContributions {
  unsigned month = 0;                 // 1 to 12
  std::vector<DayContribution> days;  // those that are not empty
  friend bool operator==(const MonthContributions&, const MonthContributions&) = default;
};

struct YearCalendar {
  std::vector<MonthContributions> months;  // those asked for that are not empty
  std::int64_t history_score = 0;          // the sum of all days of all years
  std::int64_t current_score = 0;          // the sum of the last 30 days up to and with `today`
  friend bool operator==(const YearCalendar&, const YearCalendar&) = default;
};

inline constexpr std::chrono::days kCurrentScoreSpan{30};

struct CalendarMonths {
  int year = 0;
  unsigned first = 1;  // month, 1 to 12
  unsigned last = 12;
};

YearCalendar find_calendar(sql::Transaction& transaction, const core::AccountId& account,
                           const CalendarMonths& wanted, core::Day today);

extern const char* const kFindCalendarSql;  // for the test of its plan

}  // namespace tideline::scoring
