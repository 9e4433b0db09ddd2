// How instances share the shards: anyone who comes and goes, in any order.
#include "feed/domain/shards.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

namespace tideline::feed {
namespace {

using Owners = std::array<std::string, kShards>;

// The rows, and instances that carry out their plans one after the other: each claim that finds a
// shard taken meanwhile is refused, as by the statement.
class Shared {
 public:
  void join(const std::string& name) { live_.insert(name); }
  void leave(const std::string& name) {
    live_.erase(name);
    for (std::string& owner : owners_) {
      if (owner == name) owner.clear();
    }
  }
  // All look, then all act.
  void round() {
    const ShardTable seen{{live_.begin(), live_.end()}, owners_};
    for (const std::string& name : live_) {
      const ShardPlan plan = plan_shards(name, seen);
      for (std::size_t shard = 0; shard < kShards; ++shard) {
        if (plan.give_up[shard]) {
          RC_ASSERT(owners_[shard] == name);
          owners_[shard].clear();
        }
        if (!plan.claim[shard]) continue;
        RC_ASSERT(owners_[shard].empty());  // nobody else has claimed it in this round
        owners_[shard] = name;
      }
    }
  }
  void settle() {
    // One round to give up, one to claim.
    round();
    round();
    const ShardTable now{{live_.begin(), live_.end()}, owners_};
    for (const std::string& name : live_) {
      const ShardPlan plan = plan_shards(name, now);
      RC_ASSERT(plan.is_settled);
      RC_ASSERT(plan.give_up.none());
      RC_ASSERT(plan.claim.none());
    }
  }

  std::size_t count_of(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::count(owners_, name));
  }
  const Owners& owners() const { return owners_; }
  const std::set<std::string>& live() const { return live_; }

 private:
  std::set<std::string> live_;
  Owners owners_;
};

std::string name_of(int number) { return "feed-" + std::to_string(number); }

void expect_balance(const Shared& shared) {
  std::size_t least = kShards;
  std::size_t most = 0;
  for (const std::string& name : shared.live()) {
    least = std::min(least, shared.count_of(name));
    most = std::max(most, shared.count_of(name));
  }
  RC_ASSERT(most - least <= 1U);
  RC_ASSERT(std::ranges::count(shared.owners(), std::string()) == 0);
}

void expect_moves(const Owners& before, const Shared& shared, const std::string& who, bool joined) {
  std::size_t moved = 0;
  for (std::size_t shard = 0; shard < kShards; ++shard) {
    const std::string& now = shared.owners()[shard];
    if (now == before[shard]) continue;
    ++moved;
    RC_ASSERT((joined ? now : before[shard]) == who);
  }
  const auto of_who = static_cast<std::size_t>(std::ranges::count(before, who));
  RC_ASSERT(moved == (joined ? shared.count_of(who) : of_who));
}

TEST(Shards, AreSharedEvenlyAndMoveOnlyToWhoComesAndFromWhoGoes) {
  const bool held = rc::check([] {
    Shared shared;
    shared.join(name_of(0));
    shared.settle();
    const auto steps = *rc::gen::container<std::vector<int>>(30, rc::gen::inRange(0, 70));
    for (const int step : steps) {
      const std::string who = name_of(step);
      const Owners before = shared.owners();
      const bool joins = !shared.live().contains(who);
      if (!joins && shared.live().size() == 1) continue;
      if (joins && shared.live().size() == kShards) continue;
      joins ? shared.join(who) : shared.leave(who);
      shared.settle();
      expect_balance(shared);
      expect_moves(before, shared, who, joins);
    }
  });
  EXPECT_TRUE(held);
}

// Nobody waits for the others to settle: comings and goings overlap.
TEST(Shards, AreSharedEvenlyHoweverComingsAndGoingsOverlap) {
  const bool held = rc::check([] {
    Shared shared;
    shared.join(name_of(0));
    const auto steps = *rc::gen::container<std::vector<int>>(40, rc::gen::inRange(0, 12));
    for (const int step : steps) {
      const std::string who = name_of(step);
      if (!shared.live().contains(who)) {
        shared.join(who);
      } else if (shared.live().size() > 1) {
        shared.leave(who);
      }
      if (step % 3 == 0) shared.round();
    }
    shared.settle();
    expect_balance(shared);
  });
  EXPECT_TRUE(held);
}

TEST(Shards, OfAnAccountIsItsFirstSixBits) {
  EXPECT_EQ(shard_of(core::AccountId(core::AccountId::Bytes{0x03, 0xff})), 0U);
  EXPECT_EQ(shard_of(core::AccountId(core::AccountId::Bytes{0x04})), 1U);
  EXPECT_EQ(shard_of(core::AccountId(core::AccountId::Bytes{0xff})), 63U);
}

TEST(Shards, AreNobodysPlanWhoIsNotThere) {
  const ShardTable table{{"feed-0"}, {}};
  const ShardPlan plan = plan_shards("feed-1", table);
  EXPECT_TRUE(plan.claim.none());
  EXPECT_FALSE(plan.is_settled);
}

}  // namespace
}  // namespace tideline::feed
