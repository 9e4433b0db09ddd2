// A batch cut into the parts of several databases, and the names of prepared transactions.
#include "postgres/store/spread_batch.hpp"

#include <gtest/gtest.h>

#include "eventsourcing/store/append_rules.hpp"
#include "eventsourcing/testing/appends.hpp"

namespace tideline::postgres {
namespace {

using core::LogIndex;
using core::LogPosition;
using eventsourcing::Append;
using eventsourcing::IdempotencyKey;

constexpr std::uint32_t kLogs = 6;

class SpreadBatch : public ::testing::Test {
 protected:
  static std::string stream_of(std::size_t database) {
    std::string name = "s";
    while (core::log_of(name, kLogs).value() % 2 != database) name += "s";
    return name;
  }

  static IdempotencyKey key_of(std::size_t database) {
    IdempotencyKey key{"me", "r", "k", "h"};
    while (log_of_key(key, kLogs).value() % 2 != database) key.key += "k";
    return key;
  }

  PooledDatabase even_{DatabaseOptions{}};
  PooledDatabase odd_{DatabaseOptions{}};
  LogDatabases databases_{{&even_, &odd_, &even_, &odd_, &even_, &odd_}};
  core::SeededRandom random_{1};
};

TEST_F(SpreadBatch, DatabasesAreNumberedByTheirLowestLogs) {
  EXPECT_EQ(databases_.count(), 2U);
  EXPECT_EQ(&databases_.at(0), &even_);
  EXPECT_EQ(databases_.index_of(LogIndex(3)), 1U);
  const LogDatabases other({&odd_, &even_});
  EXPECT_EQ(&other.at(0), &odd_);
}

class SpreadBatchByKey : public SpreadBatch, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(SpreadBatchByKey, EveryPartHoldsWhatIsItsOwnAndTogetherTheyHoldAll) {
  const std::size_t key_in = GetParam();
  Append append = eventsourcing::testing::Appends({})
                      .on(stream_of(0), 0, {"A"})
                      .on(stream_of(1), 0, {"B", "C"})
                      .take();
  append.idempotency = key_of(key_in);
  const Append* const one = &append;
  const BatchScope scope = scope_of({&one, 1}, kLogs);
  const auto parts = parts_of(scope, databases_);
  ASSERT_EQ(parts.size(), 2U);
  LockedState state;
  for (const auto& [index, part] : parts) {
    ASSERT_EQ(part.scope.streams.size(), 1U);
    EXPECT_EQ(part.scope.streams[0], stream_of(index));
    LockedState read;
    for (const LogIndex log : part.scope.logs) {
      EXPECT_EQ(databases_.index_of(log), index);
      read.heads[log] = LogPosition(10);
    }
    for (const auto& stream : part.scope.streams) read.versions[stream] = core::StreamVersion(0);
    join(state, std::move(read), part);
  }
  EXPECT_EQ(parts.at(key_in).keys, std::vector<std::size_t>{0});
  EXPECT_TRUE(parts.at(1 - key_in).keys.empty());

  const BatchPlan plan =
      plan_batch({&one, 1}, scope, state, {"feed", kLogs, std::chrono::hours(1)}, random_);
  const auto plans = parts_of(plan, parts, databases_);
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_EQ(plans.at(0).events.size(), 1U);
  EXPECT_EQ(plans.at(1).events.size(), 2U);
  EXPECT_EQ(plans.at(1).heads.begin()->second, LogPosition(12));
  EXPECT_EQ(plans.at(key_in).results.size(), 1U);
  EXPECT_TRUE(plans.at(1 - key_in).results.empty());
}

INSTANTIATE_TEST_SUITE_P(InEither, SpreadBatchByKey, ::testing::Values(0U, 1U));

TEST_F(SpreadBatch, AKnownResultIsFoundUnderItsPlaceInTheWhole) {
  std::vector<Append> appends(8);
  std::vector<const Append*> pointers;
  for (std::size_t i = 0; i < appends.size(); ++i) {
    appends[i].idempotency = IdempotencyKey{"me", "r", std::to_string(i), "h"};
    pointers.push_back(&appends[i]);
  }
  const BatchScope scope = scope_of(pointers, kLogs);
  LockedState state;
  for (const auto& [index, part] : parts_of(scope, databases_)) {
    LockedState read;
    for (std::size_t i = 0; i < part.scope.keys.size(); ++i) {
      read.results[i].body_hash = part.scope.keys[i]->key;
    }
    join(state, std::move(read), part);
  }
  ASSERT_EQ(state.results.size(), scope.keys.size());
  for (const auto& [index, known] : state.results) {
    EXPECT_EQ(known.body_hash, scope.keys[index]->key);
  }
}

TEST(DecidingEventTest, GoesIntoAGidAndBack) {
  const DecidingEvent event{"social-graph", LogIndex(4095), LogPosition(~0ULL),
                            "01890a5d-ac96-774b-bcce-b302099a8057"};
  const std::string gid = to_gid(event);
  EXPECT_LT(gid.size(), 200U);
  EXPECT_TRUE(gid.starts_with(gid_prefix("social-graph")));
  EXPECT_FALSE(gid.starts_with(gid_prefix("social")));
  ASSERT_TRUE(from_gid(gid).has_value());
  EXPECT_EQ(*from_gid(gid), event);
  for (const char* other : {"", "tideline", "tideline:feed:1:2", "other:feed:1:2:x",
                            "tideline:feed:-1:2:x", "tideline:feed:1:2x:x", "tideline::1:2:x"}) {
    EXPECT_FALSE(from_gid(other).has_value()) << other;
  }
}

}  // namespace
}  // namespace tideline::postgres
