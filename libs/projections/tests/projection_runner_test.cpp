#include "projections/runner/projection_runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "totals_projection.hpp"

namespace tideline::projections {
namespace {

TEST_F(ProjectionRunnerTest, CommitsTheModelTogetherWithItsPositions) {
  Totals totals;
  topics.publish(event(0, 1, "a", "5"));
  topics.publish(event(1, 1, "b", "7"));
  topics.publish(event(0, 2, "a", "6"));
  const auto running = run(totals);
  ASSERT_TRUE(running->runner.applied().wait_for(at(0, 2), kDeadline));
  ASSERT_TRUE(running->runner.applied().wait_for(at(1, 1), kDeadline));
  const auto committed = tables.tables();
  EXPECT_EQ(committed.totals.at("a"), 11);
  EXPECT_EQ(committed.totals.at("b"), 7);
  EXPECT_EQ(committed.checkpoints.at({"totals", "feed", 0}).position, 2);
  EXPECT_EQ(committed.checkpoints.at({"totals", "feed", 0}).next_offset, 2);
}

TEST_F(ProjectionRunnerTest, GoesOnWhereItStopped) {
  Totals first;
  topics.publish(event(0, 1, "a", "5"));
  { ASSERT_TRUE(run(first)->runner.applied().wait_for(at(0, 1), kDeadline)); }
  topics.publish(event(0, 2, "a", "6"));
  Totals second;
  { ASSERT_TRUE(run(second)->runner.applied().wait_for(at(0, 2), kDeadline)); }
  EXPECT_EQ(total("a"), 11);
  EXPECT_EQ(second.applied, 1);
  EXPECT_EQ(second.in_memory().at("a"), 11);
}

TEST_F(ProjectionRunnerTest, StopFlushesWhatIsPending) {
  Totals totals({1h, 5000});
  topics.publish(event(0, 1, "a", "5"));
  {
    const auto running = run(totals);
    ASSERT_TRUE(running->runner.in_memory().wait_for(at(0, 1), kDeadline));
  }
  EXPECT_EQ(total("a"), 5);
}

// Each time is a record for a broker to keep.
TEST_F(ProjectionRunnerTest, TellsHowFarItIsAtTheStartAndTheStopAndSeldomMeanwhile) {
  Totals totals;
  {
    const auto running = run(totals);
    ASSERT_TRUE(eventually([&] { return topics.progress_shown() == 1; }));
    topics.publish(event(0, 1, "a", "5"));
    ASSERT_TRUE(running->runner.applied().wait_for(at(0, 1), kDeadline));
    const std::size_t asked = topics.end_questions();
    ASSERT_TRUE(eventually([&] { return topics.end_questions() >= asked + 2; }));
    EXPECT_EQ(topics.progress_shown(), 1U);
  }
  EXPECT_EQ(topics.progress_shown(), 2U);
}

TEST_F(ProjectionRunnerTest, SkipsRepeats) {
  Totals totals;
  for (const std::uint64_t position : {1, 2, 1, 2, 2, 3}) {
    topics.publish(event(0, position, "a", std::to_string(position)));
  }
  { ASSERT_TRUE(run(totals)->runner.applied().wait_for(at(0, 3), kDeadline)); }
  EXPECT_EQ(total("a"), 6);
}

// A poll has them all, for they are there before it begins.
TEST_F(ProjectionRunnerTest, TellsOfEventsBeforeTheirTurn) {
  constexpr std::size_t kAhead = eventsourcing::Projection::kPrefetchAhead;
  constexpr std::size_t kEvents = 3 * kAhead;
  Totals totals;
  std::vector<std::string> all;
  for (std::size_t i = 1; i <= kEvents; ++i) {
    all.push_back(std::to_string(i));
    topics.publish(event(0, i, "a", all.back()));
  }
  { ASSERT_TRUE(run(totals)->runner.applied().wait_for(at(0, kEvents), kDeadline)); }
  EXPECT_EQ(totals.expected, all);
  ASSERT_EQ(totals.expected_at_apply.size(), kEvents);
  for (std::size_t i = 0; i < kEvents; ++i) {
    EXPECT_EQ(totals.expected_at_apply[i], std::min(i + kAhead + 1, kEvents)) << i;
  }
}

TEST_F(ProjectionRunnerTest, TellsOfNoPrivateEvent) {
  Totals totals;
  eventsourcing::RecordedEvent hidden = event(0, 1, "a", "");
  hidden.visibility = eventsourcing::Visibility::Private;
  topics.publish(hidden);
  topics.publish(event(0, 2, "a", "5"));
  { ASSERT_TRUE(run(totals)->runner.applied().wait_for(at(0, 2), kDeadline)); }
  EXPECT_EQ(totals.expected, std::vector<std::string>{"5"});
}

TEST_F(ProjectionRunnerTest, HoldsAPartitionUntilTheMissingPositionCame) {
  Totals totals;
  std::atomic<int> reports{0};
  on_gap = [&](const eventsourcing::SourcePartition& partition, core::LogPosition missing) {
    EXPECT_EQ(partition, kFirst);
    EXPECT_EQ(missing, core::LogPosition(2));
    ++reports;
  };
  topics.publish(event(0, 1, "a", "1"));
  topics.publish(event(0, 3, "a", "3"));
  topics.publish(event(1, 1, "b", "9"));
  const auto running = run(totals);
  ASSERT_TRUE(eventually([&] { return reports >= 2; })) << "it must report again while it waits";
  EXPECT_TRUE(running->runner.applied().wait_for(at(1, 1), kDeadline)) << "others go on";
  EXPECT_EQ(total("a"), 1);
  EXPECT_TRUE(eventually(
      [&] { return running->runner.status().last_problem == "waits for position 2 of feed/0"; }));
  topics.publish(event(0, 2, "a", "2"));
  ASSERT_TRUE(running->runner.applied().wait_for(at(0, 3), kDeadline));
  EXPECT_EQ(total("a"), 6);
}

TEST_F(ProjectionRunnerTest, FindsAPositionThatLiesBeforeItsOffset) {
  for (std::uint64_t position = 1; position <= 3; ++position) {
    topics.publish(event(0, position, "a", "1"));
  }
  ASSERT_TRUE(tables.transact([](sql::Transaction& transaction) {
    postgres::checkpoints::claim(transaction, "totals", {kFirst});
    const bool moved =
        postgres::checkpoints::advance(transaction, "totals",
                                       {{kFirst, 1, core::LogPosition(0), core::LogPosition(1),
                                         core::KafkaOffset(2)}});  // one record too far
    ASSERT_TRUE(moved);
  }));
  on_gap = [](const eventsourcing::SourcePartition&, core::LogPosition) {
    ADD_FAILURE() << "the topic holds it";
  };
  Totals totals;
  { ASSERT_TRUE(run(totals)->runner.applied().wait_for(at(0, 3), kDeadline)); }
  EXPECT_EQ(total("a"), 2);
}

TEST_F(ProjectionRunnerTest, ParksAPoisonousEventAndTheLaterOnesOfItsStream) {
  topics.publish(event(0, 1, "a", "1"));
  topics.publish(event(0, 2, "a", "poison"));
  topics.publish(event(0, 3, "b", "5"));
  topics.publish(event(0, 4, "a", "2"));
  {
    Totals totals;
    const auto running = run(totals);
    ASSERT_TRUE(running->runner.applied().wait_for(at(0, 4), kDeadline));
    EXPECT_TRUE(eventually([&] { return running->runner.status().parked == 2; }));
  }
  EXPECT_EQ(total("a"), 1);
  EXPECT_EQ(total("b"), 5);
  const auto letters = tables.tables().dead_letters;
  ASSERT_EQ(letters.size(), 2U);
  EXPECT_EQ(letters[0].back().text(), "it says so");
  topics.publish(event(0, 5, "a", "3"));
  Totals again;
  { ASSERT_TRUE(run(again)->runner.applied().wait_for(at(0, 5), kDeadline)); }
  EXPECT_EQ(tables.tables().dead_letters.size(), 3U) << "a stream stays parked over a restart";
}

TEST_F(ProjectionRunnerTest, ASkippedEventIsPassedOver) {
  tables.skip({"totals", "feed", 0, 1});
  topics.publish(event(0, 1, "a", "poison"));
  topics.publish(event(0, 2, "a", "4"));
  Totals totals;
  { ASSERT_TRUE(run(totals)->runner.applied().wait_for(at(0, 2), kDeadline)); }
  EXPECT_EQ(total("a"), 4);
  EXPECT_TRUE(tables.tables().dead_letters.empty());
}

TEST_F(ProjectionRunnerTest, AnUnexpectedExceptionDropsTheMemoryAndParksTheEvent) {
  topics.publish(event(0, 1, "a", "1"));
  topics.publish(event(0, 2, "b", "crash"));
  topics.publish(event(0, 3, "a", "2"));
  Totals totals({1h, 5000});
  { ASSERT_TRUE(run(totals)->runner.applied().wait_for(at(0, 3), kDeadline)); }
  EXPECT_EQ(total("a"), 3);
  EXPECT_EQ(total("b"), 0) << "half a change has reached the table";
  EXPECT_EQ(tables.tables().dead_letters.size(), 1U);
}

TEST_F(ProjectionRunnerTest, StopsParkingWhenItLooksLikeAnOutage) {
  for (std::uint64_t position = 1; position <= 8; ++position) {
    topics.publish(event(0, position, "s" + std::to_string(position), "poison"));
  }
  Totals totals;
  {
    const auto running = run(totals);
    ASSERT_TRUE(running->runner.applied().wait_for(at(0, 5), kDeadline));
    ASSERT_TRUE(eventually([&] { return running->runner.status().rewinds >= 2; }));
  }
  EXPECT_EQ(tables.tables().dead_letters.size(), 5U);
  EXPECT_EQ(tables.tables().checkpoints.at({"totals", "feed", 0}).position, 5);
}

TEST_F(ProjectionRunnerTest, GoesBackAfterATransientFailure) {
  Totals totals({1h, 5000});
  topics.publish(event(0, 1, "a", "1"));
  const auto running = run(totals);
  ASSERT_TRUE(running->runner.applied().wait_for(at(0, 1), kDeadline));
  topics.publish(event(0, 2, "a", "2"));
  ASSERT_TRUE(running->runner.in_memory().wait_for(at(0, 2), kDeadline));
  tables.fail_transactions(3);
  ASSERT_TRUE(running->runner.applied().wait_for(at(0, 2), kDeadline));
  EXPECT_EQ(total("a"), 3);
  EXPECT_TRUE(tables.tables().dead_letters.empty());
  EXPECT_GE(totals.loads, 2);
}

TEST_F(ProjectionRunnerTest, FindsTheOneEventThatCannotBeFlushed) {
  tables.before_add = [](const std::string& stream) {
    if (stream == "bad") throw sql::TransactionFailed(core::invalid_input("value out of range"));
  };
  for (std::uint64_t position = 1; position <= 100; ++position) {
    topics.publish(event(0, position, position == 63 ? "bad" : "good", "1"));
    topics.publish(event(1, position, "other", "1"));
  }
  Totals totals;
  {
    const auto running = run(totals);
    ASSERT_TRUE(running->runner.applied().wait_for(at(0, 100), kDeadline));
    ASSERT_TRUE(running->runner.applied().wait_for(at(1, 100), kDeadline));
  }
  EXPECT_EQ(total("good"), 99);
  EXPECT_EQ(total("other"), 100);
  ASSERT_EQ(tables.tables().dead_letters.size(), 1U);
  EXPECT_EQ(tables.tables().dead_letters[0].at(3).text(), "63");
}

TEST_F(ProjectionRunnerTest, AnOwnerWhoseGenerationWasRaisedWritesNothing) {
  Totals old_model({1h, 5000});
  const auto old_owner = run(old_model);
  ASSERT_TRUE(eventually([&] { return old_owner->runner.status().caught_up_once; }));
  topics.publish(event(0, 1, "a", "5"));
  ASSERT_TRUE(old_owner->runner.in_memory().wait_for(at(0, 1), kDeadline));
  ASSERT_TRUE(tables.transact([](sql::Transaction& transaction) {
    postgres::checkpoints::claim(transaction, "totals", {kFirst});
    transaction.execute("ADD", {"a", 5});
    const bool moved = postgres::checkpoints::advance(
        transaction, "totals",
        {{kFirst, 2, core::LogPosition(0), core::LogPosition(1), core::KafkaOffset(1)}});
    ASSERT_TRUE(moved);
  }));
  topics.publish(event(0, 2, "a", "6"));
  ASSERT_TRUE(old_owner->runner.applied().wait_for(at(0, 2), kDeadline));
  EXPECT_EQ(total("a"), 11) << "5 was added by both owners";
  EXPECT_GE(old_owner->runner.status().rewinds, 1U);
}

TEST_F(ProjectionRunnerTest, ARevocationDropsWhatIsInMemory) {
  Totals totals({1h, 5000});
  const auto running = run(totals);
  ASSERT_TRUE(eventually([&] { return running->runner.status().caught_up_once; }));
  topics.publish(event(0, 1, "a", "5"));
  ASSERT_TRUE(running->runner.in_memory().wait_for(at(0, 1), kDeadline));
  topics.revoke(kFirst);
  ASSERT_TRUE(eventually([&] {
    return running->runner.in_memory().current().at("feed", kFirst.log) == core::LogPosition(0);
  }));
  topics.assign(kFirst);
  ASSERT_TRUE(running->runner.applied().wait_for(at(0, 1), kDeadline));
  EXPECT_EQ(total("a"), 5);
  EXPECT_EQ(totals.applied, 2) << "once before the revocation, once after";
}

TEST_F(ProjectionRunnerTest, SeesWhatOtherOwnersCommit) {
  Totals totals;
  const auto running = run(totals);
  ASSERT_TRUE(eventually([&] { return running->runner.status().caught_up_once; }));
  const int loads = totals.loads;
  topics.revoke(kFirst);
  ASSERT_TRUE(eventually([&] { return totals.loads > loads; }));
  ASSERT_TRUE(tables.transact([](sql::Transaction& transaction) {
    postgres::checkpoints::claim(transaction, "totals", {kFirst});
    const bool moved = postgres::checkpoints::advance(
        transaction, "totals",
        {{kFirst, 2, core::LogPosition(0), core::LogPosition(7), core::KafkaOffset(7)}});
    ASSERT_TRUE(moved);
  }));
  EXPECT_TRUE(running->runner.applied().wait_for(at(0, 7), kDeadline));
}

TEST_F(ProjectionRunnerTest, AQueryThatWaitsIsNotKeptForTheInterval) {
  Totals totals({1h, 5000});
  const auto running = run(totals);
  topics.publish(event(0, 1, "a", "5"));
  EXPECT_TRUE(running->runner.applied().wait_for(at(0, 1), kDeadline));
  EXPECT_EQ(total("a"), 5);
  EXPECT_FALSE(running->runner.applied().wait_for(at(0, 2), 20ms));
}

TEST_F(ProjectionRunnerTest, FlushesAfterSoManyEvents) {
  Totals totals({1h, 10});
  const auto running = run(totals);
  ASSERT_TRUE(eventually([&] { return running->runner.status().caught_up_once; }));
  for (std::uint64_t position = 1; position <= 25; ++position) {
    topics.publish(event(0, position, "a", "1"));
  }
  ASSERT_TRUE(running->runner.in_memory().wait_for(at(0, 25), kDeadline));
  EXPECT_EQ(total("a"), 20);
}

TEST_F(ProjectionRunnerTest, AModelInMemoryBeginsAtTheFirstEventAndUsesNoTable) {
  topics.publish(event(0, 1, "a", "5"));
  topics.publish(event(0, 2, "x", "poison"));
  topics.publish(event(0, 3, "a", "6"));
  for (int start = 0; start < 2; ++start) {
    Totals totals({20ms, 5000}, false);
    {
      const auto running = run(totals);
      ASSERT_TRUE(running->runner.applied().wait_for(at(0, 3), kDeadline));
      EXPECT_TRUE(eventually([&] { return running->runner.status().caught_up_once; }));
    }
    EXPECT_EQ(totals.in_memory().at("a"), 11);
  }
  EXPECT_EQ(tables.commits(), 0);
}

// Wherever the offset points to: positions are the truth.
TEST_F(ProjectionRunnerTest, AModelInMemoryGoesOnWhereWhatItTookUpStands) {
  for (std::uint64_t position = 1; position <= 4; ++position) {
    topics.publish(event(0, position, "a", "1"));
    topics.publish(event(1, position, "b", "1"));
  }
  for (const std::int64_t offset : {2, 0, 1, 3}) {
    SCOPED_TRACE("offset " + std::to_string(offset));
    Totals totals({20ms, 5000}, false);
    totals.saved = {{"a", 500}};
    totals.saved_places = {{kFirst, {core::LogPosition(2), core::KafkaOffset(offset)}}};
    eventsourcing::PartitionPlaces places;
    {
      const auto running = run(totals);
      auto wanted = at(0, 4);
      wanted.join(at(1, 4));
      ASSERT_TRUE(running->runner.applied().wait_for(wanted, kDeadline));
      EXPECT_TRUE(eventually([&] { return running->runner.status().caught_up_once; }));
      running->thread.request_stop();
      running->thread.join();
      places = running->runner.places();
    }
    EXPECT_EQ(totals.in_memory().at("a"), 502);
    EXPECT_EQ(totals.in_memory().at("b"), 4) << "what was not taken up begins at the first event";
    EXPECT_EQ(totals.applied, 6);
    const eventsourcing::PartitionPlace end{core::LogPosition(4), core::KafkaOffset(4)};
    EXPECT_EQ(places,
              (eventsourcing::PartitionPlaces{{kFirst, end}, {{"feed", core::LogIndex(1)}, end}}));
  }
}

TEST_F(ProjectionRunnerTest, AModelThatStandsAtTheEndsHasCaughtUp) {
  topics.publish(event(0, 1, "a", "1"));
  Totals totals({20ms, 5000}, false);
  totals.saved_places = {{kFirst, {core::LogPosition(1), core::KafkaOffset(1)}}};
  const auto running = run(totals);
  EXPECT_TRUE(eventually([&] { return running->runner.status().caught_up_once; }));
  EXPECT_TRUE(running->runner.applied().wait_for(at(0, 1), 0ms));
  EXPECT_EQ(totals.applied, 0);
}

TEST_F(ProjectionRunnerTest, WhatCannotBeTakenUpNowIsTriedAgain) {
  topics.publish(event(0, 1, "a", "1"));
  Totals totals({20ms, 5000}, false);
  totals.on_load = [&] {
    if (totals.loads < 3) throw sql::TransactionFailed(core::unavailable("not now"));
  };
  {
    const auto running = run(totals);
    ASSERT_TRUE(running->runner.applied().wait_for(at(0, 1), kDeadline));
  }
  EXPECT_EQ(totals.loads, 3);
  EXPECT_EQ(totals.in_memory().at("a"), 1);
}

TEST_F(ProjectionRunnerTest, StubsOfPrivateEventsKeepTheirPositionAndAreNotApplied) {
  eventsourcing::RecordedEvent secret = event(0, 1, "a", "1000");
  secret.visibility = eventsourcing::Visibility::Private;
  topics.publish(std::move(secret));
  topics.publish(event(0, 2, "a", "6"));
  Totals totals;
  { ASSERT_TRUE(run(totals)->runner.applied().wait_for(at(0, 2), kDeadline)); }
  EXPECT_EQ(total("a"), 6);
}

TEST_F(ProjectionRunnerTest, EmptyTopicsCountAsCaughtUp) {
  Totals totals;
  const auto running = run(totals);
  EXPECT_TRUE(eventually([&] { return running->runner.status().caught_up_once; }));
}

TEST_F(ProjectionRunnerTest, SurvivesPollsThatFailAndADatabaseThatIsAway) {
  topics.fail_polls(3);
  tables.fail_transactions(4);
  topics.publish(event(0, 1, "a", "5"));
  Totals totals;
  { ASSERT_TRUE(run(totals)->runner.applied().wait_for(at(0, 1), kDeadline)); }
  EXPECT_EQ(total("a"), 5);
}

TEST_F(ProjectionRunnerTest, PassesOverRecordsThatAreNoEvents) {
  eventsourcing::RecordedEvent foreign = event(0, 0, "", "no ce_id");
  foreign.type = "";
  topics.publish(foreign);
  topics.publish(event(0, 1, "a", "5"));
  Totals totals;
  const auto running = run(totals);
  ASSERT_TRUE(running->runner.applied().wait_for(at(0, 1), kDeadline));
  EXPECT_TRUE(eventually([&] { return running->runner.status().passed_over == 1; }));
}

TEST(AppliedPositionsTest, WaitsOnlyForServicesThatTheModelConsumes) {
  eventsourcing::AppliedPositions applied;
  applied.reset({"feed"}, {});
  eventsourcing::PositionVector other;
  other.raise("accounts", core::LogIndex(0), core::LogPosition(9));
  EXPECT_TRUE(applied.wait_for(other, 0ms));
  EXPECT_FALSE(applied.wait_for(at(0, 1), 0ms));
  applied.advance(at(0, 1));
  EXPECT_TRUE(applied.wait_for(at(0, 1), 0ms));
  EXPECT_EQ(applied.current(), at(0, 1));
}

}  // namespace
}  // namespace tideline::projections
