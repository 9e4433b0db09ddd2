#include "core/latch.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace tideline::core {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(Latch, LetsEverybodyThroughAndShowsWhatWasWrittenBefore) {
  Latch latch;
  int written = 0;
  std::vector<int> seen(16);
  std::vector<std::thread> waiting;
  for (int& each : seen) {
    waiting.emplace_back([&] {
      if (latch.wait_until(steady_clock::now() + hours(1))) each = written;
    });
  }
  written = 7;
  latch.open();
  for (auto& thread : waiting) thread.join();
  EXPECT_EQ(seen, std::vector<int>(16, 7));
  EXPECT_TRUE(latch.wait_until(steady_clock::now() - hours(1))) << "open is open";
}

TEST(Latch, GivesUpAtTheDeadline) {
  Latch latch;
  const auto deadline = steady_clock::now() + milliseconds(20);
  EXPECT_FALSE(latch.wait_until(deadline));
  EXPECT_GE(steady_clock::now(), deadline);
}

}  // namespace
}  // namespace tideline::core
