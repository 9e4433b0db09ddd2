#include "core/random.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <set>
#include <thread>
#include <vector>

namespace tideline::core {
namespace {

TEST(SystemRandom, GivesNothingTwice) {
  SystemRandom random;
  std::vector<std::vector<std::uint64_t>> drawn(4, std::vector<std::uint64_t>(1000));
  std::vector<std::thread> threads;
  for (auto& mine : drawn) {
    threads.emplace_back([&] {
      for (auto& number : mine) number = random.next_u64();
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<std::uint64_t> all;
  for (const auto& mine : drawn) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 4000U);
}

TEST(SystemRandom, FillsAnyLength) {
  SystemRandom random;
  for (const std::size_t length : {1, 255, 256, 257, 10'000}) {
    std::vector<std::uint8_t> bytes(length + 1, 0);
    int filled = 0;  // how often the last byte came out as something else than zero
    for (int i = 0; i < 64; ++i) {
      random.fill(std::span(bytes).first(length));
      if (bytes[length - 1] != 0) ++filled;
    }
    EXPECT_GT(filled, 32) << length;
    EXPECT_EQ(bytes.back(), 0) << "not beyond the end";
  }
}

TEST(SystemRandom, AChildDoesNotDrawWhatItsParentDraws) {
  SystemRandom random;
  random.next_u64();  // something is drawn ahead
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t child = fork();
  const std::uint64_t drawn = random.next_u64();
  if (child == 0) {
    const bool written = write(pipe_ends[1], &drawn, sizeof drawn) == sizeof drawn;
    _exit(written ? 0 : 1);
  }
  std::uint64_t by_child = 0;
  EXPECT_EQ(read(pipe_ends[0], &by_child, sizeof by_child), static_cast<ssize_t>(sizeof by_child));
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_NE(by_child, drawn);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

}  // namespace
}  // namespace tideline::core
