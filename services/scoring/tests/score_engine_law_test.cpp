// Whatever the interleaving, whatever the crashes: the engine and its tables come out as a plain
// recomputation over all events says. rapidcheck prints the seed of a failure; RC_PARAMS="seed=..."
// runs it again.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "scoring/projections/engine/score_engine.hpp"
#include "scoring/tests/recomputation.hpp"
#include "scoring/tests/tables_for_tests.hpp"

namespace tideline::scoring {
namespace {

void expect_board(const ScoreEngine& engine, const Expected& expected) {
  const auto page = engine.page({.limit = 1000});
  RC_ASSERT(page.items.size() == expected.board.size());
  for (std::size_t i = 0; i < page.items.size(); ++i) {
    const auto& [negated, reached, account] = expected.board[i];
    const BoardEntry& entry = page.items[i].entry;
    RC_ASSERT(entry.points == -negated);
    RC_ASSERT(entry.reached_at.time_since_epoch().count() == reached);
    RC_ASSERT(entry.account == account);
    std::uint64_t above = 0;
    for (const auto& other : expected.board) above += std::get<0>(other) < negated ? 1 : 0;
    RC_ASSERT(page.items[i].rank == above + 1);
    RC_ASSERT(engine.total(account).rank == above + 1);
    const auto around = engine.around(account, 1);
    const std::size_t own = i == 0 ? 0 : 1;
    RC_ASSERT(around.size() == own + 1 + (i + 1 < page.items.size() ? 1 : 0));
    RC_ASSERT(around[own].entry == entry);
  }
}

void expect_totals(const ScoreEngine& engine, Expected& expected) {
  for (std::uint8_t who = 1; who <= kPeople; ++who) {
    const std::string name = account_with(who).to_string();
    const Total total = engine.total(account_with(who));
    RC_ASSERT(total.points == expected.points[name]);
    RC_ASSERT(total.rank.has_value() == expected.members.contains(name));
  }
}

void expect_calendar(const TablesForTests& tables, const Expected& expected) {
  std::map<std::string, std::map<std::int64_t, std::int64_t>> found;
  for (const auto& [key, days] : tables.months) {
    const auto& [account, year, month] = key;
    const auto first = core::parse_day(std::to_string(year) + (month < 10 ? "-0" : "-") +
                                       std::to_string(month) + "-01");
    for (std::size_t i = 0; i < days.size(); ++i) {
      if (days.at(i) == 0) continue;
      const auto name = core::AccountId::parse_uuid(account)->to_string();
      found[name][first->time_since_epoch().count() + static_cast<int>(i)] = days.at(i);
    }
  }
  RC_ASSERT(found == expected.contributions);
}

RC_GTEST_PROP(ScoreEngineLaw, AnyInterleavingAndAnyCrashesGiveTheSame, ()) {
  const ShiftedCalendar campus{std::chrono::hours(kHoursAhead)};
  const EngineOptions options{.band_members = *rc::gen::inRange<std::size_t>(1, 8)};
  core::ManualClock clock(any_now());
  EventMaker make;
  auto events = any_history(make);
  Expected expected = recompute(events);
  shuffle(events);

  TablesForTests tables;
  const auto new_engine = [&] {
    return std::make_unique<ScoreEngine>(RuleBook::standard(), campus, clock, options);
  };
  auto engine = new_engine();
  engine->load(tables);
  std::size_t committed = 0;
  std::size_t next = 0;
  int crashes = full_range(0, 4);
  while (next < events.size()) {
    const auto step = static_cast<std::size_t>(full_range(1, 80));
    for (std::size_t i = 0; i < step && next < events.size(); ++i) engine->apply(events[next++]);
    clock.advance(std::chrono::hours(full_range(0, 30)));
    if (crashes > 0 && *rc::gen::arbitrary<bool>()) {
      --crashes;
      // What was not flushed is gone; it is applied again from the committed position on.
      if (*rc::gen::arbitrary<bool>()) {
        engine = new_engine();
      }
      engine->load(tables);
      next = committed;
    } else if (*rc::gen::arbitrary<bool>()) {
      engine->flush(tables);
      engine->flushed();
      committed = next;
    }
  }
  // What is capped on a day long ago is known once it is flushed.
  engine->flush(tables);
  engine->flushed();
  expect_totals(*engine, expected);
  expect_board(*engine, expected);
  expect_calendar(tables, expected);
  const auto reloaded = new_engine();
  reloaded->load(tables);
  expect_totals(*reloaded, expected);
  expect_board(*reloaded, expected);
}

}  // namespace
}  // namespace tideline::scoring
