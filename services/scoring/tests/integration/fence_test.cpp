// Processes of which one answers, through the row of a real PostgreSQL: they die, are cut off,
// stand still and wake.
#include "scoring/fence/fence.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <iostream>
#include <random>
#include <thread>

#include "core/clock.hpp"
#include "scoring_database.hpp"
#include "support/unreachable_database.hpp"

namespace tideline::scoring {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::chrono::seconds kLong{20};
// Of those whose end no test waits for.
constexpr milliseconds kLongLease{600'000};
constexpr milliseconds kShortLease{1'000};

struct Process {
  Process(sql::Database& database_, std::string name, milliseconds lease = kLongLease)
      : database(database_),
        fence({.database = database,
               .time_since_boot = [this] { return now(); },
               .on_lost = [this] { ++lost; },
               .log = {}},
              {.holder = std::move(name), .lease = lease}) {}

  nanoseconds now() const { return core::time_since_boot() + slept.load(); }
  bool answers() const { return now() < fence.good_until(); }

  test_support::UnreachableDatabase database;
  std::atomic<nanoseconds> slept{nanoseconds(0)};
  std::atomic<int> lost{0};
  Fence fence;
};

class FenceTest : public ::testing::Test {
 protected:
  template <class Condition>
  static bool eventually(Condition condition) {
    const auto give_up = std::chrono::steady_clock::now() + kLong;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > give_up) return false;
      std::this_thread::yield();
    }
    return true;
  }

  postgres::PooledDatabase database_{scoring_database()};
};

TEST_F(FenceTest, TheFirstOneAnswersAndAnotherWaits) {
  Process first(database_, "a");
  Process second(database_, "b");
  EXPECT_FALSE(first.answers());
  ASSERT_TRUE(first.fence.take());
  EXPECT_TRUE(first.answers());
  EXPECT_FALSE(second.fence.take());
  EXPECT_FALSE(second.answers());
  EXPECT_TRUE(first.fence.renew());
}

TEST_F(FenceTest, OneThatLeavesMakesWayAtOnce) {
  Process first(database_, "a");
  Process second(database_, "b");
  ASSERT_TRUE(first.fence.take());
  first.fence.leave();
  EXPECT_FALSE(first.answers());
  EXPECT_TRUE(second.fence.take());
}

TEST_F(FenceTest, OneThatIsStartedAgainUnderItsNameGoesOn) {
  Process before(database_, "a");
  ASSERT_TRUE(before.fence.take());
  Process after(database_, "a");
  EXPECT_TRUE(after.fence.take());
  EXPECT_FALSE(before.fence.renew()) << "which is of an older generation";
  EXPECT_FALSE(before.answers());
}

TEST_F(FenceTest, OneThatIsCutOffStopsAnsweringBeforeAnotherBegins) {
  Process first(database_, "a", kShortLease);
  Process second(database_, "b", kShortLease);
  ASSERT_TRUE(first.fence.take());
  first.database.is_away = true;
  EXPECT_FALSE(first.fence.renew());
  EXPECT_TRUE(first.answers()) << "for what is left of its lease";
  bool both = false;
  ASSERT_TRUE(eventually([&] {
    const bool taken = second.fence.take();
    both = both || (taken && first.answers());
    return taken;
  }));
  EXPECT_FALSE(both);
  first.database.is_away = false;
  EXPECT_FALSE(first.fence.renew());
}

TEST_F(FenceTest, OneThatStoodStillKnowsSoWhenItWakes) {
  Process first(database_, "a");
  ASSERT_TRUE(first.fence.take());
  first.slept = kLongLease;
  EXPECT_FALSE(first.answers());
  EXPECT_TRUE(first.fence.renew()) << "nobody has taken over";
  EXPECT_TRUE(first.answers());
}

TEST_F(FenceTest, OneThatHasLostItIsToldOnce) {
  Process first(database_, "a", kShortLease);
  ASSERT_TRUE(first.fence.take());
  Process again(database_, "a");
  ASSERT_TRUE(again.fence.take());
  std::jthread running([&](std::stop_token stop) { first.fence.run(std::move(stop)); });
  ASSERT_TRUE(eventually([&] { return first.lost == 1; }));
  running.request_stop();
  running.join();
  EXPECT_EQ(first.lost, 1);
  EXPECT_TRUE(again.fence.renew()) << "what left was nothing of this one's";
}

TEST_F(FenceTest, WhoWaitsBeginsWhenTheOtherIsGone) {
  Process first(database_, "a");
  ASSERT_TRUE(first.fence.take());
  Process second(database_, "b");
  std::jthread waiting([&] { second.fence.wait(); });
  first.fence.leave();
  waiting.join();
  EXPECT_TRUE(second.answers());
}

// Random comings, cuts and standstills: never two at once.
TEST_F(FenceTest, NeverTwoAnswerAtOnce) {
  const auto seed = std::random_device()();
  std::cout << "seed " << seed << '\n';
  std::mt19937 random(seed);
  constexpr milliseconds kLease{1'000};
  std::vector<std::unique_ptr<Process>> processes;
  for (const char* name : {"a", "b", "c"}) {
    processes.push_back(std::make_unique<Process>(database_, name, kLease));
  }
  std::vector<bool> has(processes.size(), false);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  std::size_t turns_taken = 0;
  while (std::chrono::steady_clock::now() < end) {
    const std::size_t i = random() % processes.size();
    Process& process = *processes[i];
    process.database.is_away = random() % 50 != 0 && process.database.is_away;
    if (random() % 100 == 0) process.database.is_away = true;
    if (has[i]) {
      if (!process.fence.renew() && !process.database.is_away) has[i] = false;
      if (random() % 200 == 0) {
        process.fence.leave();
        has[i] = false;
      }
    } else if (process.fence.take()) {
      has[i] = true;
      ++turns_taken;
    }
    std::size_t answering = 0;
    for (const auto& one : processes) answering += one->answers() ? 1 : 0;
    ASSERT_LE(answering, 1U);
  }
  EXPECT_GT(turns_taken, 1U);
}

}  // namespace
}  // namespace tideline::scoring
