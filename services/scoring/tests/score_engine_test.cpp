#include "scoring/projections/engine/score_engine.hpp"

#include <gtest/gtest.h>

#include "runtime/campus_calendar.hpp"
#include "scoring/tests/engine_for_tests.hpp"
#include "scoring/tests/histories.hpp"
#include "scoring/tests/tables_for_tests.hpp"

namespace tideline::scoring {
namespace {

const core::Timestamp kNoon = at("2026-03-10T12:00:00.000000Z");

class ScoreEngineTest : public ::testing::Test {
 protected:
  void apply(const eventsourcing::RecordedEvent& event) { engine.apply(event); }
  std::int64_t points(std::uint8_t who) const { return engine.total(account_with(who)).points; }
  std::optional<std::uint64_t> rank(std::uint8_t who) const {
    return engine.total(account_with(who)).rank;
  }
  void flush() { scoring::flush(engine, tables); }
  std::int64_t contribution(std::uint8_t who, int year, int month, std::size_t day) {
    return tables.months[{account_with(who).to_uuid(), year, month}].at(day - 1);
  }

  ShiftedCalendar campus{std::chrono::hours(8)};
  core::ManualClock clock{kNoon};
  RulesInMemory rules{clock};
  ScoreEngine engine{rules.kept, campus, clock, {}};
  EventMaker make;
  TablesForTests tables;
};

TEST_F(ScoreEngineTest, EverybodyWhoRegisteredIsOnTheBoardWithNothing) {
  apply(make.registered(1, kNoon));
  apply(make.registered(2, kNoon + std::chrono::seconds(1)));
  EXPECT_EQ(points(1), 0);
  EXPECT_EQ(rank(1), 1U);
  EXPECT_EQ(rank(2), 1U);
  EXPECT_EQ(engine.page({}).items.size(), 2U);
  EXPECT_EQ(engine.page({}).items.front().entry.account, account_with(1));
}

TEST_F(ScoreEngineTest, WhoIsNotRegisteredYetWaitsForIt) {
  apply(make.signed_in(1, kNoon));
  EXPECT_EQ(points(1), 3);
  EXPECT_FALSE(rank(1).has_value());
  EXPECT_TRUE(engine.around(account_with(1), 5).empty());
  apply(make.registered(1, kNoon - std::chrono::hours(1)));
  EXPECT_EQ(rank(1), 1U);
}

TEST_F(ScoreEngineTest, AClosedAccountLeavesListsAndRanks) {
  apply(make.closed(2, kNoon));
  for (std::uint8_t who = 1; who <= 3; ++who) apply(make.registered(who, kNoon));
  apply(make.signed_in(2, kNoon));
  apply(make.signed_in(3, kNoon));
  EXPECT_EQ(rank(3), 1U);
  EXPECT_EQ(rank(1), 2U);
  EXPECT_FALSE(rank(2).has_value());
  apply(make.closed(3, kNoon));
  EXPECT_EQ(rank(1), 1U);
  EXPECT_EQ(engine.page({}).items.size(), 1U);
}

TEST_F(ScoreEngineTest, EachReasonEarnsWhatItsRuleSays) {
  for (std::uint8_t who = 1; who <= 4; ++who) apply(make.registered(who, kNoon));
  apply(make.contact(1, 2, true, kNoon));
  apply(make.followed(1, 3, true, kNoon));
  apply(make.published(4, kNoon));
  apply(make.commented(3, kNoon));
  apply(make.voted(4, 1, true, kNoon));
  apply(make.viewed(2, kNoon));
  apply(make.adopted(1, kNoon));
  EXPECT_EQ(points(1), 5 + 5);
  EXPECT_EQ(points(2), 5 + 1);
  EXPECT_EQ(points(3), 4 + 2);
  EXPECT_EQ(points(4), 10 + 2);
  flush();
  EXPECT_EQ(contribution(4, 2026, 3, 10), 5);
  EXPECT_EQ(contribution(3, 2026, 3, 10), 2);
  EXPECT_EQ(contribution(1, 2026, 3, 10), 1 + 3);
}

TEST_F(ScoreEngineTest, WhatIsDoneAgainEarnsNothing) {
  apply(make.contact(1, 2, false, kNoon));
  apply(make.followed(1, 3, false, kNoon));
  apply(make.voted(4, 1, false, kNoon));
  flush();
  EXPECT_TRUE(tables.deltas.empty());
  EXPECT_TRUE(tables.months.empty());
}

TEST_F(ScoreEngineTest, ADayHasAtMostItsCap) {
  for (int i = 0; i < 130; ++i) apply(make.viewed(1, kNoon + std::chrono::seconds(i)));
  for (int i = 0; i < 60; ++i) apply(make.commented(2, kNoon + std::chrono::seconds(i)));
  for (int i = 0; i < 9; ++i) apply(make.edited(3, kNoon + std::chrono::seconds(i)));
  for (int i = 0; i < 12; ++i) apply(make.adopted(4, kNoon + std::chrono::seconds(i)));
  EXPECT_EQ(points(1), 100);
  EXPECT_EQ(points(2), 100);
  EXPECT_EQ(points(4), 50);
  EXPECT_EQ(points(3), 0);
  flush();
  EXPECT_EQ(contribution(2, 2026, 3, 10), 100);
  EXPECT_EQ(contribution(3, 2026, 3, 10), 5);
}

TEST_F(ScoreEngineTest, CountersOfLongAgoLeaveTheMemoryAndStillHold) {
  const auto comment = [&](std::uint8_t who, int times) {
    for (int i = 0; i < times; ++i) apply(make.commented(who, kNoon + std::chrono::seconds(i)));
  };
  comment(1, 40);
  comment(2, 70);
  flush();
  EXPECT_EQ(engine.status().cap_counters, 2U);
  clock.advance(std::chrono::days(2));
  flush();
  EXPECT_EQ(engine.status().cap_counters, 2U) << "the day before yesterday is held";
  clock.advance(std::chrono::days(1));
  flush();
  EXPECT_EQ(engine.status().cap_counters, 0U);
  comment(1, 30);
  comment(2, 30);
  comment(3, 60);
  EXPECT_EQ(points(1), 80) << "not flushed";
  flush();
  for (std::uint8_t who = 1; who <= 3; ++who) {
    EXPECT_EQ(points(who), 100) << int{who};
    EXPECT_EQ(contribution(who, 2026, 3, 10), 100) << int{who};
  }
  EXPECT_EQ(engine.status().cap_counters, 0U);
  const auto reason = static_cast<std::size_t>(Reason::Comment);
  EXPECT_EQ(engine.status().awards.at(reason), 150U);
  EXPECT_EQ(engine.status().capped.at(reason), 80U);
}

TEST_F(ScoreEngineTest, PeriodsThatAreOverAreForgotten) {
  for (int day = 0; day < 100; ++day) {
    apply(make.signed_in(1, clock.now()));
    flush();
    EXPECT_LE(engine.status().periods, 6U) << day;
    clock.advance(std::chrono::days(1));
  }
  EXPECT_EQ(points(1), 300);
}

TEST_F(ScoreEngineTest, TheCampusDayEndsAtItsOwnMidnight) {
  const auto zone = runtime::load_campus_calendar("Asia/Shanghai");
  ASSERT_TRUE(zone.ok());
  ScoreEngine there(rules.kept, **zone, clock, {});
  const auto last = at("2026-03-31T15:59:59.999999Z");
  for (int i = 0; i < 60; ++i) there.apply(make.commented(1, last));
  for (int i = 0; i < 60; ++i) there.apply(make.commented(1, last + std::chrono::microseconds(1)));
  EXPECT_EQ(there.total(account_with(1)).points, 200);
  scoring::flush(there, tables);
  EXPECT_EQ(contribution(1, 2026, 3, 31), 100);
  EXPECT_EQ(contribution(1, 2026, 4, 1), 100);
}

TEST_F(ScoreEngineTest, AddingNothingChangesNothing) {
  apply(make.registered(1, kNoon));
  apply(make.registered(2, kNoon));
  const auto before = engine.page({}).items;
  apply(make.edited(1, kNoon + std::chrono::hours(1)));
  apply(make.voted(3, 2, true, kNoon + std::chrono::hours(2)));
  EXPECT_EQ(engine.page({}).items, before);
}

TEST_F(ScoreEngineTest, PointsMayFallBelowNothing) {
  apply(make.registered(1, kNoon));
  apply(make.registered(2, kNoon));
  apply(make.adjusted(1, -5, kNoon));
  EXPECT_EQ(points(1), -5);
  EXPECT_EQ(rank(2), 1U);
  EXPECT_EQ(rank(1), 2U);
  apply(make.adjusted(1, 2'000'000, kNoon));
  EXPECT_EQ(rank(1), 1U);
}

TEST_F(ScoreEngineTest, BrokenEventsAreRefusedWhole) {
  auto broken = make.contact(1, 2, true, kNoon);
  broken.data = R"({"from": ")" + account_with(1).to_string() + R"(", "first": true})";
  EXPECT_THROW(apply(broken), eventsourcing::PoisonEvent);
  EXPECT_EQ(points(1), 0);
  EXPECT_EQ(engine.status().pending_changes, 0U);
}

TEST_F(ScoreEngineTest, CountsAnEventOnceHoweverOftenItWasExpected) {
  apply(make.registered(1, kNoon));
  const auto first = make.signed_in(1, kNoon);
  const auto never = make.adjusted(1, 100, kNoon);
  const auto second = make.adjusted(1, 10, kNoon);
  for (const auto* const told : {&first, &first, &never, &second}) engine.prefetch(*told);
  EXPECT_EQ(points(1), 0);
  apply(first);
  apply(second);
  EXPECT_EQ(points(1), 13);
}

TEST_F(ScoreEngineTest, ABrokenEventThatWasExpectedIsRefusedInItsTurn) {
  const auto broken = make.make("accounts", "SignedIn", kNoon, {{"account_id", "nobody"}});
  engine.prefetch(broken);
  EXPECT_THROW(apply(broken), eventsourcing::PoisonEvent);
}

TEST_F(ScoreEngineTest, EventsOfOthersByTheSameNameAreNotItsOwn) {
  auto foreign = make.signed_in(1, kNoon);
  foreign.source = "feed";
  apply(foreign);
  EXPECT_EQ(points(1), 0);
}

TEST_F(ScoreEngineTest, PagesGoBothWays) {
  for (std::uint8_t who = 1; who <= 9; ++who) {
    apply(make.registered(who, kNoon));
    apply(make.adjusted(who, who, kNoon));
  }
  const auto first = engine.page({.limit = 4});
  EXPECT_FALSE(first.more_before);
  EXPECT_TRUE(first.more_after);
  ASSERT_EQ(first.items.size(), 4U);
  const auto second = engine.page({.after = first.items.back().entry, .limit = 5});
  EXPECT_TRUE(second.more_before);
  EXPECT_FALSE(second.more_after);
  ASSERT_EQ(second.items.size(), 5U);
  EXPECT_EQ(second.items.front().rank, 5U);
  const auto back = engine.page({.before = second.items.front().entry, .limit = 4});
  EXPECT_EQ(back.items, first.items);
  EXPECT_FALSE(back.more_before);
  EXPECT_TRUE(back.more_after);
  const auto around = engine.around(account_with(9), 2);
  ASSERT_EQ(around.size(), 3U);
  EXPECT_EQ(around.front().entry.account, account_with(9));
}

TEST_F(ScoreEngineTest, SaysHowManyChangesArePending) {
  apply(make.signed_in(1, kNoon));
  apply(make.signed_in(1, kNoon));
  EXPECT_EQ(engine.status().pending_changes, 1U) << "those of one person, one after the other";
  apply(make.signed_in(2, kNoon));
  EXPECT_EQ(engine.status().pending_changes, 2U);
  flush();
  EXPECT_EQ(engine.status().pending_changes, 0U);
  EXPECT_LE(engine.flush_policy().events * 2, EngineOptions{}.pending_people_max);
}

}  // namespace
}  // namespace tideline::scoring
