// Who may hold the lock together, and that nobody waits for ever. Under the thread sanitizer this
// is where a race would show.
#include "feed/projections/engine/writer_first_mutex.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace tideline::feed {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr auto kDeadline = std::chrono::seconds(60);
// More than there are counts of readers, so that some share one.
constexpr std::size_t kReaders = 20;

template <class Condition>
bool comes_true(const Condition& condition, SteadyClock::duration within = kDeadline) {
  const auto deadline = SteadyClock::now() + within;
  while (!condition()) {
    if (SteadyClock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

// Calls `work` over and over on each of the threads until it is gone.
template <class Work>
std::vector<std::jthread> on_threads(std::size_t count, const Work& work) {
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&work](const std::stop_token& stop) {
      while (!stop.stop_requested()) work();
    });
  }
  return threads;
}

TEST(WriterFirstMutex, NobodyIsInBesideAWriter) {
  constexpr std::uint64_t kWrites = 2'000;
  WriterFirstMutex mutex;
  std::uint64_t written[2] = {0, 0};  // the same but while somebody writes
  std::atomic<std::uint64_t> reads{0};
  std::atomic<std::uint64_t> torn{0};
  const auto read = [&] {
    const std::shared_lock lock(mutex);
    const std::uint64_t first = written[0];
    std::this_thread::yield();
    if (written[1] != first) ++torn;
    ++reads;
  };
  const auto write = [&] {
    const std::lock_guard lock(mutex);
    ++written[0];
    std::this_thread::yield();
    ++written[1];
  };
  {
    std::vector<std::jthread> writers;  // end after the readers, who may keep them waiting
    const auto readers = on_threads(kReaders, read);
    writers = on_threads(2, write);
    EXPECT_TRUE(comes_true([&] {
      const std::shared_lock lock(mutex);
      return written[0] >= kWrites && reads >= kWrites;
    }));
  }
  EXPECT_EQ(torn, 0U);
  EXPECT_EQ(written[0], written[1]);
}

TEST(WriterFirstMutex, ReadersAreInTogether) {
  WriterFirstMutex mutex;
  std::atomic<std::size_t> inside{0};
  std::atomic<bool> is_alone{false};
  {
    std::vector<std::jthread> readers;
    for (std::size_t i = 0; i < kReaders; ++i) {
      readers.emplace_back([&] {
        const std::shared_lock lock(mutex);
        ++inside;
        if (!comes_true([&] { return is_alone || inside == kReaders; })) is_alone = true;
      });
    }
  }
  EXPECT_FALSE(is_alone);
}

// Both kinds at once, over and over, one of which could keep the other out.
class CrowdedMutex : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kMany = 50;

  void read() {
    const std::shared_lock lock(mutex_);
    ++reads_;
  }
  // Stays until the next reader is in, so that there is always one as long as they are let in;
  // gives up after a moment, which lets a writer in for whom they have to queue.
  void read_until_next() {
    const std::shared_lock lock(mutex_);
    const std::uint64_t mine = ++reads_;
    comes_true([&] { return reads_ > mine; }, std::chrono::milliseconds(1));
  }
  void write() {
    const std::lock_guard lock(mutex_);
    ++writes_;
  }
  bool has_many(const std::atomic<std::uint64_t>& count) {
    const std::uint64_t until = count + kMany;
    return comes_true([&] { return count > until; });
  }

  WriterFirstMutex mutex_;
  std::atomic<std::uint64_t> reads_{0};
  std::atomic<std::uint64_t> writes_{0};
};

TEST_F(CrowdedMutex, AWriterComesInHoweverManyRead) {
  const auto read = [&] { read_until_next(); };
  const auto write = [&] { this->write(); };
  std::vector<std::jthread> writer;  // ends after the readers, who may keep him waiting
  const auto readers = on_threads(3, read);
  ASSERT_TRUE(has_many(reads_));
  writer = on_threads(1, write);
  EXPECT_TRUE(has_many(writes_));
}

TEST_F(CrowdedMutex, AReaderComesInHoweverManyWrite) {
  const auto read = [&] { this->read(); };
  const auto write = [&] { this->write(); };
  std::vector<std::jthread> reader;  // ends after the writers, who may keep him waiting
  const auto writers = on_threads(3, write);
  ASSERT_TRUE(has_many(writes_));
  reader = on_threads(1, read);
  EXPECT_TRUE(has_many(reads_));
}

}  // namespace
}  // namespace tideline::feed
