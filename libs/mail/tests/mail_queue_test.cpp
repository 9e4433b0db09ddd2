#include "mail/mail_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace tideline::mail {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

core::Status refused_for_now() {
  core::Error error = core::unavailable("busy");
  error.retryable = true;
  return error;
}

// Refuses a recipient's mails as often as it was told to.
class TestMailer final : public Mailer {
 public:
  core::Status send(const Mail& mail) override {
    const std::lock_guard lock(mutex_);
    attempts_.push_back(mail.to);
    if (for_good_ == mail.to) return core::invalid_input("no such address");
    if (busy_[mail.to]-- > 0) return refused_for_now();
    return core::success();
  }
  void be_busy(const std::string& to, int times) { busy_[to] = times; }
  void refuse_for_good(const std::string& to) { for_good_ = to; }
  std::vector<std::string> attempts() {
    const std::lock_guard lock(mutex_);
    return attempts_;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, int> busy_;
  std::string for_good_;
  std::vector<std::string> attempts_;
};

class MailQueueTest : public ::testing::Test {
 protected:
  static constexpr std::chrono::seconds kDeadline{20};

  Mail mail_to(const std::string& to) { return {to, "subject", "text"}; }

  // Runs it until nothing waits.
  void run_until_empty() {
    std::jthread runner([&](const std::stop_token& stop) { queue_.run(stop); });
    const auto give_up = std::chrono::steady_clock::now() + kDeadline;
    const auto done = [&] {
      const auto status = queue_.status();
      return status.sent + status.given_up == offered_;
    };
    while (!done() && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
    EXPECT_TRUE(done());
  }
  void offer(const std::string& to) {
    EXPECT_TRUE(queue_.offer(mail_to(to)));
    ++offered_;
  }

  TestMailer mailer_;
  std::vector<std::string> told_;
  MailQueue queue_{
      mailer_,
      {.waiting_max = 3, .attempts_max = 3, .first_pause = std::chrono::milliseconds(1)},
      [this](std::string_view what) { told_.emplace_back(what); }};
  std::size_t offered_ = 0;
};

TEST_F(MailQueueTest, SendsInTurn) {
  offer("ada@a.example");
  offer("ben@b.example");
  run_until_empty();
  EXPECT_THAT(mailer_.attempts(), ElementsAre("ada@a.example", "ben@b.example"));
  EXPECT_EQ(queue_.status().sent, 2u);
  EXPECT_TRUE(told_.empty());
}

TEST_F(MailQueueTest, TriesAgainWhatIsRefusedForNow) {
  mailer_.be_busy("ada@a.example", 2);
  offer("ada@a.example");
  run_until_empty();
  EXPECT_EQ(mailer_.attempts().size(), 3u);
  EXPECT_EQ(queue_.status().sent, 1u);
}

TEST_F(MailQueueTest, GivesUpInTheEnd) {
  mailer_.be_busy("ada@a.example", 3);
  mailer_.refuse_for_good("ben@b.example");
  offer("ada@a.example");
  offer("ben@b.example");
  run_until_empty();
  EXPECT_THAT(mailer_.attempts(), UnorderedElementsAre("ada@a.example", "ada@a.example",
                                                       "ada@a.example", "ben@b.example"));
  EXPECT_EQ(queue_.status().given_up, 2u);
  EXPECT_THAT(told_, UnorderedElementsAre("busy", "busy", "busy", "no such address"));
}

// One that waits for its next attempt holds up nobody.
TEST_F(MailQueueTest, GoesOnMeanwhile) {
  mailer_.be_busy("ada@a.example", 1);
  offer("ada@a.example");
  offer("ben@b.example");
  run_until_empty();
  EXPECT_EQ(queue_.status().sent, 2u);
}

TEST_F(MailQueueTest, KeepsPlacesForWhatMatters) {
  EXPECT_TRUE(queue_.offer(mail_to("a@a.example"), Importance::Low));
  EXPECT_FALSE(queue_.offer(mail_to("b@a.example"), Importance::Low)) << "half of three";
  EXPECT_TRUE(queue_.offer(mail_to("c@a.example")));
}

TEST_F(MailQueueTest, TakesNoMoreThanMayWait) {
  for (const char* to : {"a@a.example", "b@a.example", "c@a.example"}) offer(to);
  EXPECT_FALSE(queue_.offer(mail_to("d@a.example")));
  EXPECT_EQ(queue_.status().waiting, 3u);
  EXPECT_EQ(queue_.status().refused, 1u);
}

}  // namespace
}  // namespace tideline::mail
