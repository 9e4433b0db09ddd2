// Whatever the interleaving, whatever the crashes: the engine and its tables come out as a plain
// recomputation over all events says. rapidcheck prints the seed of a failure; RC_PARAMS="seed=..."
// runs it again.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "scoring/tests/engine_for_tests.hpp"
#include "scoring/tests/score_expectations.hpp"

namespace tideline::scoring {
namespace {

RC_GTEST_PROP(ScoreEngineLaw, AnyInterleavingAndAnyCrashesGiveTheSame, ()) {
  const ShiftedCalendar campus{std::chrono::hours(kHoursAhead)};
  const EngineOptions options{.band_members = *rc::gen::inRange<std::size_t>(1, 8)};
  core::ManualClock clock(any_now());
  EventMaker make;
  auto events = any_history(make);
  Expected expected = recompute(events);
  shuffle(events);

  TablesForTests tables;
  RulesInMemory rules(clock);
  const auto new_engine = [&] {
    return std::make_unique<ScoreEngine>(rules.kept, campus, clock, options);
  };
  auto engine = new_engine();
  engine->load(tables);
  std::size_t committed = 0;
  std::size_t next = 0;
  int crashes = full_range(0, 4);
  auto tell = static_cast<std::size_t>(full_range(0, 7));
  while (next < events.size()) {
    const auto step = static_cast<std::size_t>(full_range(1, 80));
    for (std::size_t i = 0; i < step && next < events.size(); ++i) {
      // Told of some events, of others not, and of some that a crash takes away.
      const std::size_t soon = next + tell++ % 8;
      if (soon < events.size()) engine->prefetch(events[soon]);
      engine->apply(events[next++]);
    }
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
      flush(*engine, tables);
      committed = next;
    }
  }
  // What is capped on a day long ago is known once it is flushed.
  flush(*engine, tables);
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
