// The boards of days, weeks and months, of everybody and by department, each against a plain count
// of what it should hold, whatever the interleaving and whatever the crashes. rapidcheck prints the
// seed of a failure; RC_PARAMS="seed=..." runs it again.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <memory>
#include <tuple>

#include "scoring/tests/engine_for_tests.hpp"
#include "scoring/tests/recomputation.hpp"
#include "scoring/tests/tables_for_tests.hpp"

namespace tideline::scoring {
namespace {

// (points falling, reached, account)
using Row = std::tuple<std::int64_t, std::int64_t, core::AccountId>;

core::Day day_number(std::int64_t days) {
  return core::Day(std::chrono::days(static_cast<int>(days)));
}

// Weeks and months by other means than those under test.
core::Day first_of(Span span, core::Day day) {
  const auto text = core::format_day(day);
  if (span == Span::Month) return core::parse_day(text.substr(0, 8) + "01").value();
  if (span == Span::Day) return day;
  // The first Monday was the fifth day of 1970.
  const auto since = (day.time_since_epoch().count() - 4) % 7;
  return day - std::chrono::days(since);
}

core::Day next_of(Span span, core::Day first) {
  core::Day day = first;
  while (first_of(span, day) == first) day += std::chrono::days(1);
  return day;
}

std::vector<Row> expected_period(const Expected& expected, Span span, core::Day first) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> earned;
  for (const auto& [account, days] : expected.days) {
    for (const auto& [day, had] : days) {
      if (first_of(span, day_number(day)) != first) continue;
      auto& sum = earned[account];
      sum.first += had.first;
      sum.second = std::max(sum.second, had.second);
    }
  }
  std::vector<Row> rows;
  for (const auto& [account, sum] : earned) {
    if (!expected.members.contains(account)) continue;
    rows.emplace_back(-sum.first, sum.second, *core::AccountId::parse(account));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

void expect_rows(const ScoreEngine& engine, const BoardName& name, const std::vector<Row>& rows) {
  const auto page = engine.page({.limit = 1000}, name);
  RC_ASSERT(page.items.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [negated, reached, account] = rows[i];
    const BoardEntry& entry = page.items[i].entry;
    RC_ASSERT(entry.points == -negated);
    RC_ASSERT(entry.reached_at.time_since_epoch().count() == reached);
    RC_ASSERT(entry.account == account);
    std::uint64_t above = 0;
    std::uint64_t below = 0;
    for (const Row& other : rows) {
      above += std::get<0>(other) < negated ? 1 : 0;
      below += std::get<0>(other) > negated ? 1 : 0;
    }
    const Total total = engine.total(account, name);
    RC_ASSERT(page.items[i].rank == above + 1);
    RC_ASSERT(total.rank == above + 1);
    RC_ASSERT(total.below == below);
    RC_ASSERT(total.members == rows.size());
    const auto around = engine.around(account, 1, name);
    RC_ASSERT(around.at(i == 0 ? 0 : 1).entry == entry);
  }
}

using DepartmentsByNumber = std::map<std::uint8_t, std::string>;

std::vector<Row> those_in(const std::vector<Row>& rows, const std::string& department,
                          const DepartmentsByNumber& department_of) {
  std::vector<Row> found;
  for (const Row& row : rows) {
    for (const auto& [number, its_department] : department_of) {
      if (std::get<2>(row) == account_with(number) && its_department == department) {
        found.push_back(row);
      }
    }
  }
  return found;
}

// Of everybody and of each department. No department is called "".
void expect_boards(const ScoreEngine& engine, BoardName name, const std::vector<Row>& rows,
                   const DepartmentsByNumber& department_of) {
  expect_rows(engine, name, rows);
  for (const char* department : {"", "physics", "history", "law"}) {
    name.department = department;
    expect_rows(
        engine, name,
        name.department->empty() ? std::vector<Row>{} : those_in(rows, department, department_of));
  }
}

// As a reader sees them whose clock says `today`.
void expect_all(const ScoreEngine& engine, const Expected& expected, core::Day today,
                const DepartmentsByNumber& department_of) {
  expect_boards(engine, {}, expected.board, department_of);
  for (const Span span : kSpans) {
    const core::Day now = first_of(span, today);
    const core::Day before = first_of(span, now - std::chrono::days(1));
    const core::Day next = next_of(span, now);
    const core::Day ahead = first_of(span, today + std::chrono::days(2'000));
    for (const core::Day first : {now, before, next, ahead}) {
      expect_boards(engine, {.period = {{span, first}}}, expected_period(expected, span, first),
                    department_of);
    }
  }
}

RC_GTEST_PROP(BoardsLaw, AnyInterleavingAndAnyCrashesGiveThePlainCount, ()) {
  const ShiftedCalendar campus{std::chrono::hours(kHoursAhead)};
  const EngineOptions options{.band_members =
                                  *rc::gen::elementOf(std::vector<std::size_t>{1, 2, 4, 20, 40})};
  core::ManualClock clock(any_now());
  EventMaker make;
  auto events = any_history(make);
  const Expected expected = recompute(events);
  shuffle(events);

  TablesForTests tables;
  RulesInMemory rules(clock);
  ScoreEngine engine(rules.kept, campus, clock, options);
  engine.load(tables);
  DepartmentsByNumber department_of;
  std::size_t committed = 0;
  std::size_t next = 0;
  int crashes = full_range(0, 3);
  while (next < events.size()) {
    const auto step = static_cast<std::size_t>(full_range(1, 60));
    for (std::size_t i = 0; i < step && next < events.size(); ++i) engine.apply(events[next++]);
    clock.advance(std::chrono::hours(full_range(0, 30)));
    if (*rc::gen::arbitrary<bool>()) {
      const auto who = static_cast<std::uint8_t>(full_range(1, kPeople + 1));
      department_of[who] =
          *rc::gen::elementOf(std::vector<std::string>{"", "physics", "history", "law"});
      engine.set_department(account_with(who), department_of[who]);
    }
    if (crashes > 0 && *rc::gen::arbitrary<bool>()) {
      --crashes;
      engine.load(tables);
      next = committed;
    } else if (*rc::gen::arbitrary<bool>()) {
      flush(engine, tables);
      committed = next;
    }
  }
  // What is capped on a day long ago is known once it is flushed.
  flush(engine, tables);
  const core::Day today = campus.day_of(clock.now());
  expect_all(engine, expected, today, department_of);

  engine.load(tables);
  expect_all(engine, expected, today, department_of);
}

}  // namespace
}  // namespace tideline::scoring
