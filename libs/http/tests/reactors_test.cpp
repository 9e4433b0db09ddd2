#include "http/server/reactors.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>

#include "running_server.hpp"

namespace tideline::http::testing {
namespace {

class Counting final : public ReadinessListener {
 public:
  void on_turn_begin() override { ++turns_; }
  void on_turn_end() override { --turns_; }
  void on_readable(std::uint64_t id) override {
    EXPECT_GT(turns_, 0);
    std::lock_guard lock(mutex_);
    ++told_[id];
  }

  int told(std::uint64_t id) {
    std::lock_guard lock(mutex_);
    return told_[id];
  }
  [[nodiscard]] int turns() const { return turns_; }

 private:
  std::atomic<int> turns_{0};
  std::mutex mutex_;
  std::map<std::uint64_t, int> told_;
};

class SocketPair {
 public:
  SocketPair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_.data()), 0); }
  ~SocketPair() {
    close(ends_[0]);
    close(ends_[1]);
  }
  SocketPair(const SocketPair&) = delete;
  SocketPair& operator=(const SocketPair&) = delete;

  [[nodiscard]] int watched() const { return ends_[0]; }
  void fill() const { EXPECT_EQ(write(ends_[1], "x", 1), 1); }
  void empty() const {
    char byte = 0;
    EXPECT_EQ(read(ends_[0], &byte, 1), 1);
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(Reactors, TellOfInputUntilItIsReadOrUnwatched) {
  constexpr std::uint64_t kLargeId = (std::uint64_t{1} << 55) + 1;
  Counting listener;
  Reactors reactors;
  ASSERT_TRUE(reactors.start(1, listener).ok());
  const SocketPair pair;
  const SocketPair other;
  ASSERT_TRUE(reactors.watch(kLargeId, pair.watched()).ok());
  ASSERT_TRUE(reactors.watch(2, other.watched()).ok());
  pair.fill();
  EXPECT_TRUE(eventually([&] { return listener.told(kLargeId) > 100; }));
  EXPECT_EQ(listener.told(2), 0);

  reactors.unwatch(kLargeId, pair.watched());
  // Whatever was under way has come when the thread has had another turn or two.
  other.fill();
  EXPECT_TRUE(eventually([&] { return listener.told(2) > 2; }));
  const int told = listener.told(kLargeId);
  EXPECT_TRUE(eventually([&] { return listener.told(2) > 1000; }));
  EXPECT_EQ(listener.told(kLargeId), told);

  other.empty();
  EXPECT_TRUE(eventually([&] { return listener.turns() == 0; }));
  reactors.stop();
}

TEST(Reactors, SayWhatCannotBeWatched) {
  Counting listener;
  Reactors reactors;
  ASSERT_TRUE(reactors.start(2, listener).ok());
  EXPECT_FALSE(reactors.watch(1, -1).ok());
}

}  // namespace
}  // namespace tideline::http::testing
