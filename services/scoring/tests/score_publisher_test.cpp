#include "scoring/projections/score_publisher.hpp"

#include <gtest/gtest.h>

#include "scoring/tests/engine_for_tests.hpp"
#include "scoring/tests/histories.hpp"
#include "scoring/tests/published_scores.hpp"
#include "scoring/tests/tables_for_tests.hpp"

namespace tideline::scoring {
namespace {

using namespace std::chrono_literals;
using eventsourcing::Preparation;
using nlohmann::json;

const core::Timestamp kNoon = at("2026-03-10T12:00:00.000000Z");

class ScorePublisherTest : public ::testing::Test {
 protected:
  ScorePublisherTest() { committed.reset(engine.sources(), {}); }

  void apply(const eventsourcing::RecordedEvent& event) {
    engine.apply(event);
    publisher.apply(event);
    applied.raise(event.source, event.log, event.position);
  }
  void commit_engine() {
    flush(engine, tables);
    committed.advance(applied);
  }
  void publish() {
    commit_engine();
    ASSERT_EQ(publisher.prepare_flush().state, Preparation::State::Done);
    publisher.flush(tables);
    publisher.flushed();
  }

  ShiftedCalendar campus{8h};
  core::ManualClock clock{kNoon};
  RulesInMemory rules{clock};
  ScoreEngine engine{rules.kept, campus, clock, {}};
  eventsourcing::AppliedPositions committed;
  eventsourcing::PositionVector applied;
  bool caught_up = true;
  PublishedScores topic;
  ScorePublisher publisher{{.scores = engine,
                            .committed = committed,
                            .caught_up = [this] { return caught_up; },
                            .topic = topic,
                            .campus = campus,
                            .clock = clock},
                           {.ranks_daily = 2, .events_max = 5, .engine_wait_max = 0ms}};
  EventMaker make;
  TablesForTests tables;
};

TEST_F(ScorePublisherTest, PublishesWhatEverybodyMayKnow) {
  apply(make.registered(1, kNoon));
  apply(make.registered(2, kNoon));
  apply(make.published(1, kNoon - std::chrono::days(70)));
  apply(make.published(1, kNoon));
  apply(make.commented(1, kNoon + std::chrono::days(3)));
  publish();
  EXPECT_EQ(topic.of(account_with(1)), (json{{"account_id", account_with(1).to_string()},
                                             {"version", 4},
                                             {"as_of", "2026-03-10"},
                                             {"closed", false},
                                             {"points", 22},
                                             {"level", 1},
                                             {"rank", 1},
                                             {"contributions", 12},
                                             {"days", {"2026-03-10", "2026-03-13"}},
                                             {"day_contributions", {5, 2}}}));
  EXPECT_EQ(topic.of(account_with(2)).at("rank"), 2);
  EXPECT_EQ(topic.of(account_with(2)).at("version"), 1);
}

TEST_F(ScorePublisherTest, ManyChangesOfOnePersonAreOne) {
  apply(make.registered(1, kNoon));
  publish();
  const auto before = topic.published();
  for (int i = 0; i < 4; ++i) apply(make.commented(1, kNoon));
  publish();
  EXPECT_EQ(topic.published(), before + 1);
  EXPECT_EQ(topic.version_of(account_with(1)), 5);
  publish();
  EXPECT_EQ(topic.published(), before + 1) << "nothing has changed";
}

TEST_F(ScorePublisherTest, PublishesNothingThatIsNotCommitted) {
  apply(make.registered(1, kNoon));
  EXPECT_EQ(publisher.prepare_flush().state, Preparation::State::Unfinished);
  commit_engine();
  EXPECT_EQ(publisher.prepare_flush().state, Preparation::State::Done);
}

TEST_F(ScorePublisherTest, WaitsForRanksOfNow) {
  caught_up = false;
  apply(make.registered(1, kNoon));
  commit_engine();
  EXPECT_EQ(publisher.prepare_flush().state, Preparation::State::Unfinished);
  for (int i = 0; i < 4; ++i) apply(make.commented(1, kNoon));
  commit_engine();
  const Preparation full = publisher.prepare_flush();
  EXPECT_EQ(full.state, Preparation::State::Failed) << "gathers without a bound";
  EXPECT_TRUE(full.error.retryable);
  EXPECT_EQ(full.culprit, nullptr);
  caught_up = true;
  EXPECT_EQ(publisher.prepare_flush().state, Preparation::State::Done);
}

// Anyone who is overtaken did nothing himself.
TEST_F(ScorePublisherTest, TheFirstRanksArePublishedOnceADay) {
  for (std::uint8_t who = 1; who <= 4; ++who) apply(make.registered(who, kNoon));
  apply(make.adjusted(1, 30, kNoon));
  apply(make.adjusted(2, 20, kNoon));
  publish();
  EXPECT_EQ(topic.of(account_with(1)).at("rank"), 1);
  apply(make.adjusted(3, 90, kNoon));
  publish();
  EXPECT_EQ(topic.of(account_with(1)).at("rank"), 1) << "one change republishes others";

  clock.advance(24h);
  const auto before = topic.published();
  apply(make.signed_in(4, kNoon + 24h));
  publish();
  EXPECT_EQ(topic.published(), before + 3);
  EXPECT_EQ(topic.of(account_with(1)).at("rank"), 2);
  EXPECT_EQ(topic.of(account_with(1)).at("as_of"), "2026-03-11");
  EXPECT_EQ(topic.of(account_with(1)).at("version"), 2);
  EXPECT_EQ(topic.of(account_with(2)).at("rank"), 2) << "not among the first two any more";
  EXPECT_EQ(topic.of(account_with(2)).at("as_of"), "2026-03-10");
  apply(make.signed_in(4, kNoon + 25h));
  publish();
  EXPECT_EQ(topic.published(), before + 4);
}

TEST_F(ScorePublisherTest, OfAClosedAccountNothingIsLeft) {
  apply(make.registered(1, kNoon));
  apply(make.published(1, kNoon));
  apply(make.closed(1, kNoon));
  apply(make.viewed(1, kNoon));
  publish();
  EXPECT_EQ(topic.of(account_with(1)), (json{{"account_id", account_with(1).to_string()},
                                             {"version", 4},
                                             {"as_of", "2026-03-10"},
                                             {"closed", true},
                                             {"points", nullptr},
                                             {"level", nullptr},
                                             {"rank", nullptr},
                                             {"contributions", nullptr},
                                             {"days", json::array()},
                                             {"day_contributions", json::array()}}));
}

TEST_F(ScorePublisherTest, TriesAgainWhenTheTopicIsAway) {
  apply(make.registered(1, kNoon));
  commit_engine();
  topic.fail_once();
  try {
    publisher.flush(tables);
    ADD_FAILURE() << "the flush must fail";
  } catch (const sql::TransactionFailed& failed) {
    EXPECT_TRUE(failed.error().retryable);
  }
  publish();
  EXPECT_EQ(topic.version_of(account_with(1)), 1);
}

TEST_F(ScorePublisherTest, TellsHowFarItHasComeBehindTheStatesAndWithoutAny) {
  eventsourcing::AppliedPositions reached;
  reached.reset(engine.sources(), {});
  publisher.tell(reached);
  apply(make.registered(1, kNoon));
  reached.advance(applied);
  commit_engine();
  topic.fail_once();
  EXPECT_THROW(publisher.flush(tables), sql::TransactionFailed);
  EXPECT_TRUE(topic.applied().empty()) << "of states that are not there";
  publish();
  EXPECT_EQ(topic.applied(), applied);
  EXPECT_EQ(topic.order(), "sa");
  apply(make.followed(1, 2, false, kNoon));
  reached.advance(applied);
  const auto before = topic.published();
  publish();
  EXPECT_EQ(topic.published(), before);
  EXPECT_EQ(topic.applied(), applied) << "who waits for an event that counts for nobody";
}

TEST_F(ScorePublisherTest, WhatSaysNothingOfAnybodyIsPassedOver) {
  apply(make.followed(1, 2, false, kNoon));
  apply(make.make("feed", "MomentPublished", kNoon, {}));
  publish();
  EXPECT_EQ(topic.published(), 0U);
}

}  // namespace
}  // namespace tideline::scoring
