// The plan of a batch: who wins, who loses, and which positions follow, without a database.
#include "postgres/store/append_batch.hpp"

#include <gtest/gtest.h>

#include "eventsourcing/testing/appends.hpp"
#include "postgres/store/append_queue.hpp"

namespace tideline::postgres {
namespace {

using core::LogIndex;
using core::LogPosition;
using core::StreamId;
using core::StreamVersion;
using eventsourcing::AlreadyDone;
using eventsourcing::Append;
using eventsourcing::Appended;
using eventsourcing::AppendOutcome;
using eventsourcing::IdempotencyKey;
using eventsourcing::KeyReused;
using eventsourcing::VersionConflict;
using eventsourcing::testing::expect_conflict;

class AppendBatch : public ::testing::Test {
 protected:
  static Append one(const std::string& stream, std::uint64_t expected, std::size_t events = 1) {
    return eventsourcing::testing::Appends(core::Timestamp())
        .on(stream, expected, std::vector<std::string>(events, "A"))
        .take();
  }
  static Append with_key(Append append, const std::string& key, const std::string& hash = "h") {
    append.idempotency = IdempotencyKey{"me", "route", key, hash};
    append.result.body = "result of " + append.streams[0].stream.value();
    return append;
  }

  BatchPlan plan(const std::vector<Append>& appends) {
    std::vector<const Append*> pointers;
    for (const Append& append : appends) pointers.push_back(&append);
    const BatchScope scope = scope_of(pointers, terms_.logs);
    for (const LogIndex log : scope.logs) state_.heads.emplace(log, LogPosition(10));
    for (const auto stream : scope.streams) state_.versions.emplace(stream, StreamVersion(0));
    return plan_batch(pointers, scope, state_, terms_, random_);
  }

  BatchTerms terms_{"feed", 1, std::chrono::hours(1)};
  core::SeededRandom random_{1};
  LockedState state_;
};

TEST_F(AppendBatch, TheSecondOfTwoOnOneStreamSeesTheFirst) {
  const auto both = plan({one("s", 0, 2), one("s", 0), one("s", 2)});
  EXPECT_TRUE(std::holds_alternative<Appended>(both.outcomes[0]));
  expect_conflict(both.outcomes[1], "s", 2);
  EXPECT_TRUE(std::holds_alternative<Appended>(both.outcomes[2]));
  ASSERT_EQ(both.events.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(both.events[i].position.value(), 11 + i) << "the loser takes no position";
    EXPECT_EQ(both.events[i].version.value(), 1 + i);
  }
  EXPECT_EQ(both.heads.at(LogIndex(0)).value(), 13U);
}

TEST_F(AppendBatch, ALoserOfSeveralStreamsLeavesNoneOfThem) {
  Append pair = one("a", 0);
  pair.streams.push_back(one("b", 5).streams[0]);
  const auto result = plan({pair, one("a", 0)});
  expect_conflict(result.outcomes[0], "b", 0);
  EXPECT_TRUE(std::holds_alternative<Appended>(result.outcomes[1]));
  EXPECT_EQ(result.events.size(), 1U);
}

TEST_F(AppendBatch, AssertionsSeeWhatTheBatchHasDone) {
  Append asserting = one("vote", 0);
  asserting.assertions = {{StreamId("voting"), StreamVersion(0)}};
  Append late = one("vote2", 0);
  late.assertions = asserting.assertions;
  const auto result = plan({asserting, one("voting", 0), late});
  EXPECT_TRUE(std::holds_alternative<Appended>(result.outcomes[0]));
  expect_conflict(result.outcomes[2], "voting", 1);
}

TEST_F(AppendBatch, AKeyTwiceInABatchIsDoneOnce) {
  const auto result = plan({with_key(one("a", 0), "k"), with_key(one("b", 0), "k"),
                            with_key(one("c", 0), "k", "other")});
  EXPECT_TRUE(std::holds_alternative<Appended>(result.outcomes[0]));
  const auto& done = std::get<AlreadyDone>(result.outcomes[1]);
  EXPECT_EQ(done.result.body, "result of a");
  EXPECT_EQ(done.result.positions, std::get<Appended>(result.outcomes[0]).positions);
  EXPECT_TRUE(std::holds_alternative<KeyReused>(result.outcomes[2]));
  EXPECT_EQ(result.results.size(), 1U);
}

TEST_F(AppendBatch, AKeyWhoseAppendLostIsFreeForTheNext) {
  const auto result = plan({with_key(one("a", 7), "k"), with_key(one("b", 0), "k")});
  expect_conflict(result.outcomes[0], "a", 0);
  EXPECT_TRUE(std::holds_alternative<Appended>(result.outcomes[1]));
}

TEST_F(AppendBatch, AnExpiredResultIsNoResult) {
  state_.results[0] = {"h", {200, "old", "", "", {}}, core::Timestamp()};
  const auto result = plan({with_key(one("a", 0), "k")});
  EXPECT_TRUE(std::holds_alternative<Appended>(result.outcomes[0]));
  EXPECT_EQ(result.results[0].expires_at, core::Timestamp(std::chrono::hours(1)));
}

TEST_F(AppendBatch, TheScopeCoversStreamsAssertionsAndKeys) {
  Append append = with_key(one("a", 0), "k");
  append.assertions = {{StreamId("b"), StreamVersion(0)}};
  const std::vector<const Append*> pointers = {&append, &append};
  const BatchScope scope = scope_of(pointers, 1000);
  EXPECT_EQ(scope.streams, (std::vector<std::string_view>{"a", "b"}));
  EXPECT_EQ(scope.keys.size(), 1U);
  EXPECT_EQ(scope.logs.size(), 3U);
  EXPECT_TRUE(std::is_sorted(scope.logs.begin(), scope.logs.end()));
}

TEST_F(AppendBatch, PresumesWhatEachStreamsFirstAppendExpects) {
  Append asserting = one("a", 3);
  asserting.assertions = {{StreamId("b"), StreamVersion(2)}};
  const std::vector<Append> appends = {asserting, one("a", 4), one("new", 0, 2), one("new", 2)};
  std::vector<const Append*> pointers;
  for (const Append& append : appends) pointers.push_back(&append);
  const BatchScope scope = scope_of(pointers, 1);
  const LockedState presumed =
      presumed_state(pointers, scope, {{LogIndex(0), LogPosition(10)}, {LogIndex(1), {}}});
  const BatchPlan plan = plan_batch(pointers, scope, presumed, terms_, random_);
  EXPECT_TRUE(all_appended(plan));
  EXPECT_EQ(plan.heads.at(LogIndex(0)).value(), 15U);
  EXPECT_EQ(presumed.heads.size(), 1U) << "of the batch's logs only";
  EXPECT_EQ(unproven_streams(scope, plan), (std::vector<std::string_view>{"a", "b"}))
      << "that there is no event of the new stream shows when its first one is written";
}

TEST_F(AppendBatch, NotAllAreAppendedWhereOneIsInTheOthersWay) {
  EXPECT_FALSE(all_appended(plan({one("s", 0), one("s", 0)})));
  EXPECT_FALSE(all_appended(plan({with_key(one("a", 0), "k"), with_key(one("b", 0), "k")})));
}

class AppendQueueTest : public ::testing::Test {
 protected:
  std::optional<QueuePlace> push(std::size_t bytes) {
    WaitingAppend append;
    append.bytes = bytes;
    return queue_.push(std::move(append));
  }
  std::size_t taken() {
    const auto batch = queue_.take(std::chrono::milliseconds(0));
    return batch ? batch->appends.size() : 0;
  }

  AppendQueue queue_{{4, 2, 50}};
};

TEST_F(AppendQueueTest, GathersByNumberAndBytes) {
  EXPECT_TRUE(push(100));
  EXPECT_TRUE(push(10));
  EXPECT_TRUE(push(10));
  EXPECT_TRUE(push(10));
  EXPECT_FALSE(push(10)) << "full";
  EXPECT_EQ(queue_.size(), 4U);
  EXPECT_EQ(taken(), 1U) << "too large for the bound, but the first";
  EXPECT_EQ(taken(), 2U) << "as many as a batch may hold";
  EXPECT_EQ(taken(), 1U);
  EXPECT_EQ(taken(), 0U);
  EXPECT_TRUE(push(10)) << "there is room again";
}

TEST_F(AppendQueueTest, WhatWasTakenCannotBeWithdrawn) {
  const auto first = push(1);
  const auto second = push(1);
  EXPECT_TRUE(queue_.withdraw(*second));
  const auto batch = queue_.take(std::chrono::milliseconds(0));
  EXPECT_FALSE(queue_.withdraw(*first));
  EXPECT_FALSE(batch->appends[0].withdrawn);
  EXPECT_TRUE(batch->appends[1].withdrawn);
}

TEST_F(AppendQueueTest, ClosedLetsNothingInButWhatWaitsOut) {
  EXPECT_TRUE(push(1));
  queue_.close();
  EXPECT_FALSE(push(1));
  EXPECT_FALSE(queue_.finished());
  EXPECT_EQ(taken(), 1U);
  EXPECT_TRUE(queue_.finished());
  EXPECT_EQ(queue_.take(std::chrono::hours(1)), nullptr);
}

}  // namespace
}  // namespace tideline::postgres
