#include "http/server/outbox.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>

namespace tideline::http::testing {
namespace {

class OutboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    const timeval deadline{.tv_sec = 10, .tv_usec = 0};
    setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
    channel.emplace(ends[0], nullptr);
  }
  void TearDown() override { close(ends[1]); }
  std::string read_all(std::size_t bytes) const {
    std::string read(bytes, '\0');
    EXPECT_EQ(recv(ends[1], read.data(), bytes, MSG_WAITALL), static_cast<ssize_t>(bytes));
    return read;
  }

  std::array<int, 2> ends{-1, -1};
  std::optional<Channel> channel;
  Outbox outbox;
};

TEST_F(OutboxTest, SendsWhatWasAppendedInOrder) {
  outbox.append("one");
  EXPECT_EQ(outbox.append(" two"), 7U);
  EXPECT_EQ(outbox.send_to(*channel), Outbox::Sent::All);
  EXPECT_TRUE(outbox.empty());
  EXPECT_EQ(read_all(7), "one two");
  EXPECT_EQ(outbox.append("three"), 5U) << "ends count from 0 again";
  EXPECT_EQ(outbox.send_to(*channel), Outbox::Sent::All);
  EXPECT_EQ(read_all(5), "three");
}

TEST_F(OutboxTest, KnowsWhatIsOutAndGoesOnBehindIt) {
  const std::string large(8 * 1024 * 1024, 'x');
  const std::size_t first = outbox.append("small");
  const std::size_t second = outbox.append(large);
  EXPECT_FALSE(outbox.has_sent(first));
  ASSERT_EQ(outbox.send_to(*channel), Outbox::Sent::Part);
  EXPECT_TRUE(outbox.has_sent(first));
  EXPECT_FALSE(outbox.has_sent(second));
  outbox.append("end");
  const std::size_t out = second + 3 - outbox.unsent();
  std::string read = read_all(out);
  while (outbox.send_to(*channel) == Outbox::Sent::Part) {
    read += read_all(second + 3 - outbox.unsent() - read.size());
  }
  read += read_all(second + 3 - read.size());
  EXPECT_EQ(read, "small" + large + "end");
}

TEST_F(OutboxTest, SaysThatNobodyTakesIt) {
  close(ends[1]);
  ends[1] = -1;
  outbox.append("lost");
  EXPECT_EQ(outbox.send_to(*channel), Outbox::Sent::Refused);
}

}  // namespace
}  // namespace tideline::http::testing
