// Instances that share the shards through the rows of a real PostgreSQL: they come, go, die, stand
// still and wake.
#include "feed/shards/shard_leases.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <iostream>
#include <random>
#include <thread>

#include "feed_database.hpp"
#include "support/unreachable_database.hpp"

namespace tideline::feed {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using testing::FeedDatabase;
using SteadyClock = std::chrono::steady_clock;

// How long anything that must happen may take.
constexpr std::chrono::seconds kLong{20};

struct Instance {
  Instance(FeedDatabase& tables, std::string name, milliseconds lease = milliseconds(60'000))
      : database(tables.database),
        leases({.database = database,
                .time_since_boot = [this] { return core::time_since_boot() + slept.load(); },
                .can_serve = [this] { return can_serve.load(); },
                .on_change =
                    [this](const ShardSet& shards) {
                      told = shards;
                      ++changes;
                    },
                .log = {}},
               {.instance = name, .address = name + ":80", .lease = lease}) {}

  ShardSet here() const {
    ShardSet shards;
    for (std::size_t shard = 0; shard < kShards; ++shard) {
      shards[shard] = leases.find(shard).kind == ShardPlace::Kind::Here;
    }
    return shards;
  }

  test_support::UnreachableDatabase database;
  std::atomic<bool> can_serve{true};
  std::atomic<nanoseconds> slept{nanoseconds(0)};
  ShardSet told;
  std::atomic<int> changes{0};
  ShardLeases leases;
};

// Looks in turns until the condition holds.
bool look_until(const std::function<bool()>& condition, std::vector<Instance*> instances) {
  const auto give_up = SteadyClock::now() + kLong;
  while (!condition()) {
    if (SteadyClock::now() > give_up) return false;
    for (Instance* instance : instances) instance->leases.look();
  }
  return true;
}

TEST(ShardLeases, OfOneInstanceAreAllFromTheFirstLookOn) {
  FeedDatabase tables;
  Instance one(tables, "feed-0");
  EXPECT_FALSE(one.leases.has_joined());
  one.can_serve = false;
  one.leases.look();
  EXPECT_FALSE(one.leases.has_joined()) << "it could not answer";
  EXPECT_EQ(one.leases.held_count(), 0U);
  one.can_serve = true;
  one.leases.look();
  EXPECT_TRUE(one.leases.has_joined());
  EXPECT_TRUE(one.here().all());
  EXPECT_TRUE(one.told.all());
}

TEST(ShardLeases, MoveToWhoComesAndBackFromWhoLeaves) {
  FeedDatabase tables;
  Instance a(tables, "a"), b(tables, "b"), c(tables, "c");
  a.leases.look();
  b.leases.look();
  EXPECT_TRUE(b.leases.has_joined());
  EXPECT_EQ(b.leases.find(0).kind, ShardPlace::Kind::Elsewhere);
  EXPECT_EQ(b.leases.find(0).instance, "a");
  EXPECT_EQ(b.leases.find(0).address, "a:80");
  a.leases.look();
  EXPECT_EQ(a.leases.held_count(), 32U) << "given up before anybody claims them";
  EXPECT_EQ(a.leases.find(63).kind, ShardPlace::Kind::Nowhere);
  b.leases.look();
  EXPECT_EQ(b.leases.held_count(), 32U);
  EXPECT_EQ(a.told, a.here());
  EXPECT_EQ(b.told, ~a.here());

  const ShardSet of_a = a.here();
  const ShardSet of_b = b.here();
  c.leases.look();
  a.leases.look();
  b.leases.look();
  c.leases.look();
  EXPECT_EQ(c.leases.held_count(), share_of(2, 3));
  EXPECT_EQ((of_a & ~a.here()) | (of_b & ~b.here()), c.here()) << "no other shard has moved";

  c.leases.leave();
  EXPECT_EQ(c.leases.held_count(), 0U);
  a.leases.look();
  b.leases.look();
  EXPECT_EQ(a.leases.held_count() + b.leases.held_count(), kShards);
  EXPECT_EQ(a.here() & b.here(), ShardSet());
}

TEST(ShardLeases, OfOneThatDiedAreTakenOverWhenTheyEnd) {
  FeedDatabase tables;
  Instance a(tables, "a", milliseconds(400)), b(tables, "b", milliseconds(400));
  ASSERT_TRUE(look_until([&] { return a.leases.held_count() == 32 && b.leases.held_count() == 32; },
                         {&a, &b}));
  const auto died = SteadyClock::now();
  ASSERT_TRUE(look_until([&] { return b.leases.held_count() == kShards; }, {&b}));
  // Its last look was before that.
  EXPECT_GT(SteadyClock::now() - died, milliseconds(300));
  EXPECT_EQ(a.leases.held_count(), 0U) << "it knows without a look";
  EXPECT_EQ(a.leases.find(0).kind, ShardPlace::Kind::Nowhere);
  a.leases.look();
  EXPECT_EQ(a.leases.held_count(), 0U);
  EXPECT_EQ(a.leases.find(0).instance, "b");
}

TEST(ShardLeases, EndWhileTheMachineSleeps) {
  FeedDatabase tables;
  Instance a(tables, "a", milliseconds(10'000));
  a.leases.look();
  a.slept = std::chrono::seconds(7);
  EXPECT_TRUE(a.here().all());
  a.slept = std::chrono::seconds(8);
  EXPECT_TRUE(a.here().none()) << "a fifth before anybody may claim them";
}

TEST(ShardLeases, EndWhileTheDatabaseIsAwayAndGoOnWhenItComesBack) {
  FeedDatabase tables;
  Instance a(tables, "a", milliseconds(10'000));
  a.leases.look();
  a.database.is_away = true;
  a.leases.look();
  EXPECT_TRUE(a.here().all()) << "a look that failed takes nothing away";
  a.slept = std::chrono::seconds(8);
  a.leases.look();
  EXPECT_TRUE(a.here().none());
  const int changes = a.changes;
  a.database.is_away = false;
  a.leases.look();
  EXPECT_TRUE(a.here().all());
  EXPECT_EQ(a.changes, changes) << "its timelines were kept";
}

TEST(ShardLeases, AreGivenUpByWhoCannotServe) {
  FeedDatabase tables;
  Instance a(tables, "a"), b(tables, "b");
  ASSERT_TRUE(look_until([&] { return b.leases.held_count() == 32; }, {&a, &b}));
  a.can_serve = false;
  a.leases.look();
  EXPECT_EQ(a.leases.held_count(), 0U);
  EXPECT_TRUE(a.told.none());
  b.leases.look();
  EXPECT_TRUE(b.here().all());
  a.can_serve = true;
  EXPECT_TRUE(look_until([&] { return a.leases.held_count() == 32; }, {&a, &b}));
}

TEST(ShardLeases, OfAnEarlierProcessAreTheNextOnesOfThatNameAtOnce) {
  FeedDatabase tables;
  Instance before(tables, "feed-0");
  before.leases.look();
  Instance after(tables, "feed-0");
  after.leases.look();
  EXPECT_TRUE(after.here().all());
  before.leases.look();
  EXPECT_TRUE(before.here().none()) << "the older one renews nothing";
  after.leases.look();
  EXPECT_TRUE(after.here().all());
}

TEST(ShardLeases, CallBackAfterTheNextLookAndAtOnceWhenNobodyLooks) {
  FeedDatabase tables;
  Instance a(tables, "a");
  std::atomic<int> called{0};
  a.leases.after_next_look([&] { ++called; });
  EXPECT_EQ(called, 1) << "nothing has been seen yet";
  a.leases.look();
  a.leases.after_next_look([&] { ++called; });
  EXPECT_EQ(called, 1);
  std::stop_source stop;
  std::jthread looking([&] { a.leases.run(stop.get_token()); });
  const auto give_up = SteadyClock::now() + kLong;
  while (called < 2 && SteadyClock::now() < give_up) std::this_thread::yield();
  EXPECT_EQ(called, 2);
  stop.request_stop();
  looking.join();
  EXPECT_EQ(a.leases.held_count(), 0U) << "it has left";
  a.leases.after_next_look([&] { ++called; });
  EXPECT_EQ(called, 3);
}

// Each instance looks, stands still for up to two leases, dies and comes back, by chance; somebody
// watches all of them.
TEST(ShardLeases, AreNeverOfTwoInstancesWhateverStandsStill) {
  const auto seed = std::random_device()();
  std::cout << "seed " << seed << '\n';
  constexpr milliseconds kLease{250};
  constexpr milliseconds kWatched{5'000};
  // Between the first and the last question of one comparison.
  constexpr milliseconds kComparedWithin{10};
  FeedDatabase tables;
  std::vector<std::unique_ptr<Instance>> instances;
  for (const char* name : {"a", "b", "c"}) {
    instances.push_back(std::make_unique<Instance>(tables, name, kLease));
  }
  std::stop_source stop;
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    threads.emplace_back([&, i] {
      std::mt19937 numbers(static_cast<std::uint32_t>(seed + i));
      std::mutex mutex;
      std::condition_variable_any never;
      while (!stop.stop_requested()) {
        instances[i]->leases.look();
        const bool leaves = numbers() % 16 == 0;
        if (leaves) instances[i]->leases.leave();
        const auto pause = numbers() % 4 == 0 ? numbers() % (2 * kLease.count()) : numbers() % 20;
        std::unique_lock lock(mutex);
        never.wait_for(lock, stop.get_token(), milliseconds(pause), [] { return false; });
      }
    });
  }
  std::size_t compared = 0;
  const auto end = SteadyClock::now() + kWatched;
  while (SteadyClock::now() < end) {
    for (const auto& one : instances) {
      for (const auto& other : instances) {
        if (one == other) continue;
        const auto began = SteadyClock::now();
        const ShardSet before = one->here();
        const ShardSet between = other->here();
        const ShardSet after = one->here();
        if (SteadyClock::now() - began > kComparedWithin) continue;
        ++compared;
        ASSERT_EQ(before & between & after, ShardSet()) << "seed " << seed;
      }
    }
  }
  stop.request_stop();
  threads.clear();
  int changes = 0;
  for (const auto& instance : instances) changes += instance->changes;
  std::cout << compared << " comparisons, " << changes << " moves\n";
  EXPECT_GT(compared, 100U);
  EXPECT_GT(changes, 10);
}

}  // namespace
}  // namespace tideline::feed
