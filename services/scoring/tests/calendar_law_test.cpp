// Calendars against a plain count: whatever the interleaving and whatever the crashes, historyscore
// is the sum of all days and currentscore that of the last 30 as of the day of the read, and one
// statement reads both with the year. rapidcheck prints the seed of a failure; RC_PARAMS="seed=..."
// runs it again.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "scoring/projections/calendar_queries.hpp"
#include "scoring/tests/engine_for_tests.hpp"
#include "scoring/tests/recomputation.hpp"
#include "scoring/tests/tables_for_tests.hpp"

namespace tideline::scoring {
namespace {

using Contributions = std::map<std::int64_t, std::int64_t>;  // by day since 1970

// Two years of what counts for a calendar, on a few days of them so that caps are reached.
std::vector<eventsourcing::RecordedEvent> any_years(EventMaker& make) {
  std::vector<eventsourcing::RecordedEvent> events;
  const auto begin = at("2024-12-01T00:00:00.000000Z");
  const int days = full_range(1, 40);
  for (int i = 0; i < days; ++i) {
    const auto noon = begin + std::chrono::days(full_range(0, 700)) + std::chrono::hours(12);
    const auto who = static_cast<std::uint8_t>(full_range(1, 4));
    for (int n = full_range(1, 9); n > 0; --n) {
      const auto time = noon + std::chrono::minutes(n);
      events.push_back(n % 3 == 0   ? make.commented(who, time)
                       : n % 3 == 1 ? make.edited(who, time)
                                    : make.published(who, time));
    }
  }
  shuffle(events);
  return events;
}

YearCalendar counted(const Contributions& days, const CalendarMonths& wanted, core::Day today) {
  YearCalendar calendar;
  const std::int64_t now = today.time_since_epoch().count();
  for (const auto& [day, amount] : days) {
    calendar.history_score += amount;
    if (day > now - 30 && day <= now) calendar.current_score += amount;
    const auto text = core::format_day(core::Day(std::chrono::days(static_cast<int>(day))));
    const auto month = static_cast<unsigned>(std::stoi(text.substr(5, 2)));
    if (std::stoi(text.substr(0, 4)) != wanted.year) continue;
    if (month < wanted.first || month > wanted.last) continue;
    if (calendar.months.empty() || calendar.months.back().month != month) {
      calendar.months.push_back({month, {}});
    }
    calendar.months.back().days.push_back(
        {static_cast<unsigned>(std::stoi(text.substr(8, 2))), amount});
  }
  return calendar;
}

RC_GTEST_PROP(CalendarLaw, ScoresAreSumsOfDaysAsOfADate, ()) {
  const ShiftedCalendar campus{std::chrono::hours(kHoursAhead)};
  core::ManualClock clock(at("2025-06-15T00:00:00.000000Z"));
  EventMaker make;
  const auto events = any_years(make);
  auto expected = recompute(events).contributions;

  TablesForTests tables;
  RulesInMemory rules(clock);
  ScoreEngine engine(rules.kept, campus, clock, {});
  engine.load(tables);
  std::size_t committed = 0;
  int crashes = full_range(0, 3);
  for (std::size_t next = 0; next < events.size();) {
    engine.apply(events[next++]);
    if (full_range(0, 8) == 0) {
      flush(engine, tables);
      committed = next;
    } else if (crashes > 0 && full_range(0, 20) == 0) {
      --crashes;
      engine.load(tables);
      next = committed;
    }
  }
  flush(engine, tables);

  const auto first = core::parse_day("2024-11-01").value();
  for (int i = 0; i < 30; ++i) {
    const core::AccountId who = account_with(static_cast<std::uint8_t>(full_range(1, 5)));
    const core::Day today = first + std::chrono::days(full_range(0, 800));
    CalendarMonths wanted{.year = full_range(2023, 2028)};
    if (full_range(0, 1) == 0)
      wanted.first = wanted.last = static_cast<unsigned>(full_range(1, 12));
    const std::size_t before = tables.statements;
    RC_ASSERT(find_calendar(tables, who, wanted, today) ==
              counted(expected[who.to_string()], wanted, today));
    RC_ASSERT(tables.statements == before + 1);
  }
}

}  // namespace
}  // namespace tideline::scoring
