// What the law test cannot see of the engine: what it counts, what it tells of groups, whose array
// is emptied, and that it says so while it is beginning anew.
#include "feed/projections/engine/feed_engine.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "feed/stream_keys.hpp"
#include "saved_engine.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;

core::AccountId person(std::uint8_t number) {
  return core::AccountId(core::AccountId::Bytes{static_cast<std::uint8_t>(number * 37), number});
}

class NoTables final : public sql::Transaction {
 public:
  sql::Rows execute(std::string_view, const sql::Params&) override {
    throw sql::TransactionFailed(core::internal_error("no tables"));
  }
  void copy_in(std::string_view, std::span<const std::string>,
               std::span<const sql::Params>) override {}
};

class FeedEngineTest : public ::testing::Test {
 protected:
  explicit FeedEngineTest(std::size_t bytes_max = std::size_t{1} << 30)
      : engine(options(bytes_max)) {
    applied.reset(engine.sources(), {});
    engine.watch(applied);
  }

  FeedEngineOptions options(std::size_t bytes_max) {
    return {.timeline_length_max = 8,
            .timeline_bytes_max = bytes_max,
            .rules = {},
            .on_fan_out = [this](const FanOut& told) { fan_outs.push_back(told); },
            .on_evictions = [this](std::size_t count) { evictions += count; }};
  }

  eventsourcing::RecordedEvent event(const std::string& source, const std::string& type,
                                     const Json& data) {
    eventsourcing::RecordedEvent made;
    made.source = source;
    made.type = type;
    made.position = core::LogPosition(++position);
    made.data = data.dump();
    return made;
  }
  void tell(const std::string& source, const std::string& type, const Json& data) {
    engine.apply(event(source, type, data));
  }
  void befriend(std::uint8_t one, std::uint8_t other) {
    tell("social-graph", "ContactAccepted",
         {{"from", person(one).to_string()}, {"to", person(other).to_string()}, {"first", true}});
  }
  void join(const std::string& group, std::uint8_t who) {
    tell("social-graph", "GroupJoined",
         {{"group_id", group}, {"account_id", person(who).to_string()}});
  }
  Json moment(std::uint64_t id, std::uint8_t author, const std::string& audience = "public") {
    return {{"moment_id", std::to_string(id)},
            {"author", person(author).to_string()},
            {"audience", audience},
            {"group_ids", Json::array()},
            {"tag_ids", Json::array()},
            {"user_ids", Json::array()},
            {"content", "1.x"},
            {"images", Json::array()},
            {"published_at", "2026-01-02T03:04:05.678901Z"},
            {"seen", ""}};
  }
  void publish(const Json& data) { tell("feed", "MomentPublished", data); }
  std::size_t seen_by(std::uint8_t who) {
    return engine.reader().timeline(person(who), {}, 20).entries.size();
  }

  std::vector<FanOut> fan_outs;
  std::size_t evictions = 0;
  std::uint64_t position = 0;
  eventsourcing::AppliedPositions applied;
  FeedEngine engine;
};

TEST_F(FeedEngineTest, CountsADeliveryForEachTimelineThatAMomentEnters) {
  befriend(1, 2);
  befriend(1, 3);
  tell("social-graph", "Followed",
       {{"follower", person(4).to_string()}, {"followee", person(1).to_string()}});
  publish(moment(100, 1));
  publish(moment(101, 1, "partly-invisible"));
  publish(moment(102, 1, "private"));
  publish(moment(100, 1));  // a repeat is none
  ASSERT_EQ(fan_outs.size(), 3U);
  EXPECT_EQ(fan_outs[0].deliveries, 4U);  // the author, two contacts, a follower
  EXPECT_EQ(fan_outs[1].deliveries, 3U);
  EXPECT_EQ(fan_outs[2].deliveries, 1U);
  EXPECT_EQ(core::format_iso8601(fan_outs[0].published_at), "2026-01-02T03:04:05.678901Z");
  const auto size = engine.size();
  EXPECT_EQ(size.moments, 3U);
  EXPECT_EQ(size.viewers, 4U);
  EXPECT_EQ(size.ids, 8U);
}

// A read makes an array of whom its reader follows; what is published then goes by who follows.
TEST_F(FeedEngineTest, AfterAStartFromASnapshotBothSidesOfAFollowAreKnown) {
  befriend(1, 2);
  tell("social-graph", "Followed",
       {{"follower", person(4).to_string()}, {"followee", person(1).to_string()}});
  publish(moment(100, 1));
  testing::SavedEngine saved;
  saved.save(engine, {});
  saved.use(true);
  FeedEngineOptions from_it = options(std::size_t{1} << 30);
  from_it.restore = saved.restore();
  FeedEngine started(std::move(from_it));
  started.watch(applied);
  NoTables none;
  started.load(none);
  const auto seen = [&](std::uint8_t who) {
    return started.reader().timeline(person(who), {}, 20).entries.size();
  };
  EXPECT_EQ(seen(1) + seen(2) + seen(4), 3U);
  started.apply(event("feed", "MomentPublished", moment(101, 1)));
  EXPECT_EQ(seen(1), 2U);
  EXPECT_EQ(seen(2), 2U) << "a contact";
  EXPECT_EQ(seen(4), 2U) << "a follower";
}

TEST_F(FeedEngineTest, KeepsNoMoreThanTheBoundAndStillReadsAll) {
  for (std::uint64_t id = 1; id <= 50; ++id) publish(moment(id, 1));
  EXPECT_LE(engine.size().ids, 8U);
  EXPECT_EQ(engine.reader().timeline(person(1), {}, 100).entries.size(), 50U);
}

TEST_F(FeedEngineTest, HoldsAMomentUntilWhatItsWriterSawIsHere) {
  befriend(1, 2);
  eventsourcing::PositionVector seen;
  seen.raise("social-graph", core::LogIndex(5), core::LogPosition(9));
  seen.raise("accounts", core::LogIndex(1), core::LogPosition(4));
  seen.raise("projects", core::LogIndex(1), core::LogPosition(7));  // not consumed: not waited for
  Json data = moment(100, 1);
  data["seen"] = seen.to_token();
  publish(data);
  EXPECT_EQ(seen_by(1), 1U);
  EXPECT_EQ(seen_by(2), 0U);
  EXPECT_FALSE(engine.reader().find_visible(core::MomentId(100), person(3)));

  eventsourcing::PositionVector reached;
  reached.raise("social-graph", core::LogIndex(5), core::LogPosition(9));
  applied.advance(reached);
  EXPECT_EQ(seen_by(2), 0U) << "one log of two";
  reached.raise("accounts", core::LogIndex(1), core::LogPosition(4));
  applied.advance(reached);
  EXPECT_EQ(seen_by(2), 1U);
  EXPECT_TRUE(engine.reader().find_visible(core::MomentId(100), person(3)));
}

TEST_F(FeedEngineTest, FindsAMonthBehindAnyNumberOfMomentsThatTheViewerMayNotSee) {
  constexpr std::uint64_t kMonth = std::uint64_t{31} * 24 * 3600 * 1000 << 22;
  publish(moment(kMonth, 1));
  for (std::uint64_t i = 1; i <= 10'000; ++i) publish(moment(2 * kMonth + i, 1, "private"));
  publish(moment(4 * kMonth, 1));
  EXPECT_EQ(engine.reader().months_of(person(1), person(2)).size(), 2U);
  EXPECT_EQ(engine.reader().months_of(person(1), person(1)).size(), 3U);
}

// Nobody need have read a timeline for it.
TEST_F(FeedEngineTest, KnowsContactsAndBlocksOnceWhatTheirWritersHadSeenIsApplied) {
  eventsourcing::PositionVector seen;
  seen.raise("social-graph", core::LogIndex(5), core::LogPosition(9));
  const auto told = [&](const char* type, const Json& data) {
    auto made = event("social-graph", type, data);
    made.schema_version = core::SchemaVersion(2);
    made.metadata.seen = seen.to_token();
    engine.apply(made);
  };
  const Json pair{{"by", person(1).to_string()}, {"other", person(2).to_string()}};
  tell("social-graph", "PersonBlocked", pair);
  told("PersonUnblocked", pair);
  told("ContactAccepted",
       {{"from", person(1).to_string()}, {"to", person(2).to_string()}, {"first", true}});
  EXPECT_FALSE(engine.reader().are_contacts(person(1), person(2)));
  EXPECT_TRUE(engine.reader().has_blocked(person(1), person(2)));
  EXPECT_FALSE(engine.reader().has_blocked(person(2), person(1)));
  applied.advance(seen);
  EXPECT_TRUE(engine.reader().are_contacts(person(1), person(2)));
  EXPECT_FALSE(engine.reader().has_blocked(person(1), person(2)));
}

TEST_F(FeedEngineTest, SaysFromWhenOnAMemberReadsItsGroup) {
  const auto at = [](int second) { return core::Timestamp(std::chrono::seconds(second)); };
  const auto since = [&](const char* group) {
    return engine.reader().reads_group_since(group, person(1));
  };
  const auto move = [&](const char* type, int second) {
    auto moved =
        event("social-graph", type, {{"group_id", "g"}, {"account_id", person(1).to_string()}});
    moved.time = at(second);
    engine.apply(moved);
  };
  EXPECT_EQ(since("g"), std::nullopt);
  move("GroupJoined", 1);
  EXPECT_EQ(since("g"), at(1));
  EXPECT_EQ(engine.reader().reads_group_since("g", person(2)), std::nullopt);
  move("GroupLeft", 2);
  EXPECT_EQ(since("g"), std::nullopt);
  EXPECT_TRUE(engine.reader().groups_of(person(1), 9).empty());
  move("GroupJoined", 3);
  EXPECT_EQ(since("g"), at(3)) << "who comes back begins anew";
  tell("social-graph", "GroupHistoryChanged", {{"group_id", "g"}, {"history", "from_start"}});
  EXPECT_EQ(since("g"), core::Timestamp());
  tell("social-graph", "GroupHistoryChanged", {{"group_id", "g"}, {"history", "from_joining"}});
  EXPECT_EQ(since("g"), at(3));
  join("h", 1);
  const auto groups = engine.reader().groups_of(person(1), 9);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].id, "h") << "the one that he joined last";
  EXPECT_EQ(groups[1].since, at(3));
  EXPECT_EQ(engine.reader().groups_of(person(1), 1).size(), 1U);
  tell("social-graph", "GroupDissolved", {{"group_id", "g"}});
  EXPECT_EQ(since("g"), std::nullopt);
  EXPECT_EQ(engine.reader().groups_of(person(1), 9).size(), 1U);
}

TEST_F(FeedEngineTest, OpensAGroupsPastOnceWhatItsWriterHadSeenIsThere) {
  auto joined = event("social-graph", "GroupJoined",
                      {{"group_id", "g"}, {"account_id", person(1).to_string()}});
  joined.time = core::Timestamp(std::chrono::seconds(5));
  engine.apply(joined);
  eventsourcing::PositionVector seen;
  seen.raise("social-graph", core::LogIndex(2), core::LogPosition(1));
  auto opened =
      event("social-graph", "GroupHistoryChanged", {{"group_id", "g"}, {"history", "from_start"}});
  opened.metadata.seen = seen.to_token();
  engine.apply(opened);
  EXPECT_EQ(engine.reader().reads_group_since("g", person(1)), joined.time);
  applied.advance(seen);
  EXPECT_EQ(engine.reader().reads_group_since("g", person(1)), core::Timestamp());
}

TEST_F(FeedEngineTest, NamesWhoeverIsOnTheOtherSideOfABlock) {
  const auto block = [&](std::uint8_t by, std::uint8_t other) {
    tell("social-graph", "PersonBlocked",
         {{"by", person(by).to_string()}, {"other", person(other).to_string()}});
  };
  block(1, 2);
  block(3, 1);
  EXPECT_EQ(engine.reader().apart_from(person(1)), (std::vector{person(2), person(3)}));
  EXPECT_EQ(engine.reader().apart_from(person(2)), std::vector{person(1)});
  EXPECT_TRUE(engine.reader().apart_from(person(4)).empty());
}

TEST_F(FeedEngineTest, SaysThatItIsRebuildingUntilItKnowsAgainWhatItKnew) {
  NoTables no_tables;
  engine.load(no_tables);
  EXPECT_FALSE(engine.is_rebuilding()) << "it knew nothing before";
  const auto first = event("social-graph", "ContactAccepted",
                           {{"from", person(1).to_string()}, {"to", person(2).to_string()}});
  const auto second = event("feed", "MomentPublished", moment(100, 1));
  engine.apply(first);
  engine.apply(second);
  engine.load(no_tables);
  EXPECT_TRUE(engine.is_rebuilding());
  EXPECT_EQ(seen_by(2), 0U);
  engine.apply(first);
  EXPECT_TRUE(engine.is_rebuilding());
  engine.load(no_tables);
  engine.apply(first);
  EXPECT_TRUE(engine.is_rebuilding()) << "what an unfinished rebuild forgot is still due";
  engine.apply(second);
  EXPECT_FALSE(engine.is_rebuilding());
  EXPECT_EQ(seen_by(2), 1U);
}

TEST_F(FeedEngineTest, RefusesABrokenEventWithoutAnEffect) {
  Json data = moment(100, 1);
  data.erase("audience");
  EXPECT_THROW(publish(data), eventsourcing::PoisonEvent);
  EXPECT_EQ(engine.size().moments, 0U);
}

TEST_F(FeedEngineTest, UsesAnEventOnceHoweverOftenItWasExpected) {
  befriend(1, 2);
  const auto first = event("feed", "MomentPublished", moment(100, 1));
  const auto never = event("feed", "MomentPublished", moment(200, 1));
  const auto second = event("feed", "MomentPublished", moment(300, 1));
  for (const auto* const told : {&first, &first, &never, &second}) engine.prefetch(*told);
  EXPECT_EQ(engine.size().moments, 0U);
  engine.apply(first);
  engine.apply(second);
  EXPECT_EQ(seen_by(2), 2U);
  EXPECT_EQ(fan_outs.size(), 2U);
}

TEST_F(FeedEngineTest, ABrokenEventThatWasExpectedIsRefusedInItsTurn) {
  Json data = moment(100, 1);
  data.erase("audience");
  const auto broken = event("feed", "MomentPublished", data);
  engine.prefetch(broken);
  EXPECT_THROW(engine.apply(broken), eventsourcing::PoisonEvent);
  EXPECT_EQ(engine.size().moments, 0U);
}

// What was foreseen of the memory before names people by numbers that this one does not have: so
// many that anyone who looks them up leaves all memory.
TEST_F(FeedEngineTest, WhatWasExpectedBeforeAStartDoesNoHarm) {
  for (std::uint32_t number = 0; number < 400'000; ++number) {
    core::AccountId::Bytes bytes{1};
    std::memcpy(&bytes[1], &number, sizeof number);
    const core::AccountId somebody(bytes);
    engine.use(read::Unfollowed{somebody, somebody});
  }
  befriend(201, 202);
  const auto published = event("feed", "MomentPublished", moment(100, 201));
  for (std::size_t i = 0; i < 3; ++i) engine.prefetch(published);
  NoTables no_tables;
  engine.load(no_tables);
  befriend(201, 202);
  engine.prefetch(published);
  engine.apply(published);
  EXPECT_EQ(seen_by(202), 1U);
}

// person(n) is of the shard of his first byte.
ShardSet shards_of(std::initializer_list<std::uint8_t> people) {
  ShardSet shards;
  for (const std::uint8_t number : people) shards.set(shard_of(person(number)));
  return shards;
}

TEST_F(FeedEngineTest, KeepsArraysForTheViewersOfItsShardsAlone) {
  ASSERT_EQ(shards_of({1, 2, 3}).count(), 3U);
  engine.keep(shards_of({1}));
  befriend(1, 2);
  befriend(1, 3);
  for (std::uint64_t id = 100; id < 105; ++id) publish(moment(id, 1));
  EXPECT_EQ(fan_outs.back().deliveries, 1U) << "to whose array is kept";
  EXPECT_EQ(engine.size().ids, 5U);
  EXPECT_EQ(seen_by(2), 5U);
  EXPECT_EQ(engine.size().ids, 5U) << "read without an array";

  engine.keep(shards_of({1, 2}));
  EXPECT_EQ(engine.size().ids, 5U) << "made when it is read";
  EXPECT_EQ(seen_by(2), 5U);
  EXPECT_EQ(engine.size().ids, 10U);
  publish(moment(105, 1));
  EXPECT_EQ(fan_outs.back().deliveries, 2U);

  engine.keep(shards_of({2}));
  EXPECT_EQ(engine.size().viewers, 1U);
  EXPECT_EQ(engine.size().ids, 6U);
  EXPECT_EQ(seen_by(1), 6U);
  EXPECT_EQ(seen_by(2), 6U);
  EXPECT_EQ(seen_by(3), 6U);
}

TEST_F(FeedEngineTest, MakesAnArrayNoLongerThanTheBoundAndNoSlowerThanSome) {
  befriend(1, 2);
  for (std::uint64_t id = 1; id <= 50; ++id) publish(moment(id, 1));
  for (std::uint64_t id = 51; id <= 200; ++id) publish(moment(id, 1, "private"));
  engine.keep({});
  engine.keep(shards_of({1, 2}));
  EXPECT_EQ(engine.reader().timeline(person(1), {}, 300).entries.size(), 200U);
  EXPECT_EQ(engine.reader().timeline(person(2), {}, 300).entries.size(), 50U)
      << "behind many that he is not shown";
  EXPECT_LE(engine.size().ids, 8U);
}

class FeedEngineWithRoomForTwo : public FeedEngineTest {
 protected:
  FeedEngineWithRoomForTwo() : FeedEngineTest(ViewerTimelines::room_for(8, 2)) {}

  // Only who has an array is delivered to.
  bool has_array(std::uint8_t who) {
    publish(moment(++last, who, "private"));
    return fan_outs.back().deliveries == 1;
  }

  std::uint64_t last = 1'000;
};

TEST_F(FeedEngineWithRoomForTwo, EmptiesArraysAndReadsTheSame) {
  for (std::uint8_t friend_ = 2; friend_ <= 6; ++friend_) befriend(1, friend_);
  for (std::uint64_t id = 100; id < 120; ++id) publish(moment(id, 1));
  const auto size = engine.size();
  EXPECT_EQ(size.array_bytes, ViewerTimelines::room_for(8, 2));
  EXPECT_LE(size.viewers, 2U);
  EXPECT_EQ(size.evictions, evictions);
  EXPECT_GE(evictions, 4U);
  for (std::uint8_t who = 1; who <= 6; ++who) EXPECT_EQ(seen_by(who), 20U);
  EXPECT_GE(evictions, 7U) << "who reads gets an array, and somebody else loses his";
  EXPECT_EQ(engine.size().array_bytes, ViewerTimelines::room_for(8, 2));
}

TEST_F(FeedEngineWithRoomForTwo, LeavesWhoReadsHisArray) {
  befriend(1, 2);
  publish(moment(100, 1));
  for (std::uint8_t friend_ = 3; friend_ <= 100; ++friend_) {
    EXPECT_GT(seen_by(2), 0U);
    befriend(1, friend_);
    publish(moment(98U + friend_, 1));
  }
  EXPECT_GE(evictions, 90U);
  EXPECT_TRUE(has_array(2));
  EXPECT_FALSE(has_array(50));
}

}  // namespace
}  // namespace tideline::feed
