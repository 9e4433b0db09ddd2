#include "accounts/api/attempt_limiter.hpp"

#include <gtest/gtest.h>

namespace tideline::accounts {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const core::Timestamp kStart{};

TEST(TokenBuckets, GiveABurstAndRefill) {
  TokenBuckets buckets({3, 6}, 10);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(buckets.take("ada", kStart));
  EXPECT_EQ(buckets.take("ada", kStart), milliseconds(10'000));
  EXPECT_FALSE(buckets.take("bob", kStart));
  EXPECT_EQ(buckets.take("ada", kStart + seconds(4)), milliseconds(6'000));
  EXPECT_FALSE(buckets.take("ada", kStart + seconds(10)));
  EXPECT_TRUE(buckets.take("ada", kStart + seconds(10)));
}

TEST(TokenBuckets, NeverHoldMoreThanTheBurst) {
  TokenBuckets buckets({2, 60}, 10);
  EXPECT_FALSE(buckets.take("ada", kStart));
  buckets.give_back("ada");
  buckets.give_back("ada");
  const auto later = kStart + seconds(3600);
  EXPECT_FALSE(buckets.take("ada", later));
  EXPECT_FALSE(buckets.take("ada", later));
  EXPECT_TRUE(buckets.take("ada", later));
}

TEST(TokenBuckets, RefillNothingWhenTheClockGoesBack) {
  TokenBuckets buckets({1, 60}, 10);
  EXPECT_FALSE(buckets.take("ada", kStart + seconds(100)));
  EXPECT_TRUE(buckets.take("ada", kStart));
  EXPECT_TRUE(buckets.take("ada", kStart + seconds(100)));
  EXPECT_FALSE(buckets.take("ada", kStart + seconds(101)));
}

TEST(TokenBuckets, ForgetWhoWasAskedLongestAgo) {
  TokenBuckets buckets({1, 1}, 2);
  EXPECT_FALSE(buckets.take("ada", kStart));
  EXPECT_FALSE(buckets.take("bob", kStart));
  EXPECT_TRUE(buckets.take("ada", kStart));
  EXPECT_FALSE(buckets.take("eve", kStart));
  EXPECT_EQ(buckets.size(), 2u);
  EXPECT_TRUE(buckets.take("ada", kStart));
  EXPECT_FALSE(buckets.take("bob", kStart));
}

TEST(AttemptLimiter, LimitsAccountAndSourceApart) {
  AttemptLimiter limiter({.per_account = {2, 60},
                          .per_account_anywhere = {2, 60},
                          .per_source = {3, 60},
                          .buckets_max = 10});
  EXPECT_FALSE(limiter.begin("ada", "here", kStart));
  EXPECT_FALSE(limiter.begin("ada", "here", kStart));
  EXPECT_EQ(limiter.begin("ada", "there", kStart), seconds(1));
  EXPECT_FALSE(limiter.begin("bob", "here", kStart));
  EXPECT_EQ(limiter.begin("eve", "here", kStart), seconds(1));
  // What the source refused was not counted for the account.
  EXPECT_FALSE(limiter.begin("eve", "there", kStart));
  EXPECT_FALSE(limiter.begin("eve", "there", kStart));
}

TEST(AttemptLimiter, WhoGuessesFromElsewhereLocksNobodyOut) {
  AttemptLimiter limiter({.per_account = {2, 2}, .buckets_max = 10});
  EXPECT_FALSE(limiter.begin("ada", "thief", kStart));
  EXPECT_FALSE(limiter.begin("ada", "thief", kStart));
  EXPECT_EQ(limiter.begin("ada", "thief", kStart), seconds(30));
  EXPECT_FALSE(limiter.begin("ada", "home", kStart));
}

TEST(AttemptLimiter, ManySourcesAreHeldUpButWhereTheAccountHasSignedIn) {
  AttemptLimiter limiter(
      {.per_account = {2, 2}, .per_account_anywhere = {3, 1}, .buckets_max = 10});
  EXPECT_FALSE(limiter.begin("ada", "home", kStart));
  limiter.forgive("ada", "home");
  limiter.trust("ada", "home");
  for (const char* thief : {"1", "2", "3"}) EXPECT_FALSE(limiter.begin("ada", thief, kStart));
  EXPECT_EQ(limiter.begin("ada", "4", kStart), seconds(60));
  EXPECT_FALSE(limiter.begin("ada", "home", kStart));
  limiter.forgive("ada", "home");
  EXPECT_FALSE(limiter.begin("ada", "home", kStart));
  EXPECT_FALSE(limiter.begin("ada", "home", kStart));
  EXPECT_TRUE(limiter.begin("ada", "home", kStart)) << "a wrong password counts here, too";
}

TEST(AttemptLimiter, ForgivesWhatWasRight) {
  AttemptLimiter limiter({.per_account = {1, 1}, .per_source = {1, 1}, .buckets_max = 10});
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(limiter.begin("ada", "here", kStart));
    limiter.forgive("ada", "here");
  }
  EXPECT_FALSE(limiter.begin("ada", "here", kStart));
  EXPECT_TRUE(limiter.begin("ada", "here", kStart));
}

}  // namespace
}  // namespace tideline::accounts
