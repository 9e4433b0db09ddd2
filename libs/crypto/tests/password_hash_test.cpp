#include "crypto/password_hash.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace tideline::crypto {
namespace {

using std::chrono::steady_clock;

// As quick as argon2id can be, for tests that are about something else.
PasswordHashOptions quick() {
  PasswordHashOptions options;
  options.memory_bytes = 8192;
  options.passes = 1;
  return options;
}

TEST(PasswordHashTest, DefaultsAreWhatTheDesignAsksFor) {
  PasswordHasher hasher;
  const auto hash = hasher.hash("correct horse");
  ASSERT_TRUE(hash.ok());
  EXPECT_TRUE(hash->starts_with("$argon2id$v=19$m=19456,t=2,p=1$")) << *hash;
  EXPECT_FALSE(hasher.needs_rehash(*hash));
}

TEST(PasswordHashTest, VerifiesTheVectorOfTheReferenceImplementation) {
  PasswordHasher hasher;
  const std::string_view reference =
      "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  EXPECT_TRUE(*hasher.verify("password", reference));
  EXPECT_FALSE(*hasher.verify("Password", reference));
  EXPECT_TRUE(hasher.needs_rehash(reference));
}

TEST(PasswordHashTest, SaltsEveryHash) {
  PasswordHasher hasher(quick());
  const std::string one = *hasher.hash("same");
  const std::string other = *hasher.hash("same");
  EXPECT_NE(one, other);
  EXPECT_TRUE(*hasher.verify("same", one));
  EXPECT_TRUE(*hasher.verify("same", other));
  EXPECT_FALSE(*hasher.verify("", one));
  EXPECT_FALSE(*hasher.verify("same ", one));
}

TEST(PasswordHashTest, WhatIsNoHashVerifiesNothing) {
  PasswordHasher hasher(quick());
  const std::string hash = *hasher.hash("password");
  for (const std::string& text : {std::string(), std::string("password"), hash.substr(0, 40),
                                  hash + std::string("\0tail", 5), std::string(5000, '$')}) {
    const auto verified = hasher.verify("password", text);
    ASSERT_TRUE(verified.ok());
    EXPECT_FALSE(*verified) << text;
    EXPECT_TRUE(hasher.needs_rehash(text));
  }
}

TEST(PasswordHashTest, RefusesOverlongPasswordsUnread) {
  PasswordHasher hasher(quick());
  const std::string longest(PasswordHasher::kPasswordBytesMax, 'x');
  const auto hash = hasher.hash(longest);
  ASSERT_TRUE(hash.ok());
  EXPECT_TRUE(*hasher.verify(longest, *hash));
  EXPECT_FALSE(*hasher.verify(longest + "x", *hash));
  const auto refused = hasher.hash(longest + "x");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, core::ErrorCode::InvalidInput);
}

TEST(PasswordHashTest, OtherOptionsAskForANewHash) {
  PasswordHasher weak(quick());
  EXPECT_TRUE(PasswordHasher().needs_rehash(*weak.hash("password")));
}

TEST(PasswordHashTest, RunsNoMoreAtOnceThanAllowed) {
  PasswordHashOptions options;
  options.concurrent_max = 2;
  options.wait_max = std::chrono::minutes(1);
  PasswordHasher hasher(options);
  std::atomic<int> left = 6;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      EXPECT_TRUE(hasher.hash("password").ok());
      --left;
    });
  }
  unsigned most = 0;
  while (left > 0) {
    most = std::max(most, hasher.running());
    std::this_thread::yield();
  }
  EXPECT_EQ(most, 2U);
  EXPECT_EQ(hasher.running(), 0U);
}

TEST(PasswordHashTest, AnswersBusyWhenNoTurnComesInTime) {
  PasswordHashOptions options;
  options.concurrent_max = 1;
  options.wait_max = std::chrono::milliseconds(0);
  PasswordHasher hasher(options);
  const std::jthread occupant([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) (void)hasher.hash("password");
  });
  const auto deadline = steady_clock::now() + std::chrono::seconds(30);
  bool busy = false;
  while (!busy && steady_clock::now() < deadline) {
    const auto verified = hasher.verify_absent("password");
    if (verified.ok()) continue;
    EXPECT_EQ(verified.error().code, core::ErrorCode::Unavailable);
    EXPECT_TRUE(verified.error().retryable);
    busy = true;
  }
  EXPECT_TRUE(busy);
}

// Of this thread alone, so that other work on the machine does not count.
double cpu_seconds(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  std::vector<double> rounds;
  for (int i = 0; i < 5; ++i) {
    const double begin = now();
    work();
    rounds.push_back(now() - begin);
  }
  std::nth_element(rounds.begin(), rounds.begin() + 2, rounds.end());
  return rounds[2];
}

TEST(PasswordHashTest, AnAbsentUserCostsWhatAPresentOneCosts) {
  PasswordHasher hasher;
  const std::string hash = *hasher.hash("password");
  const double present = cpu_seconds([&] { EXPECT_FALSE(*hasher.verify("wrong", hash)); });
  const double absent = cpu_seconds([&] { EXPECT_FALSE(*hasher.verify_absent("wrong")); });
  EXPECT_GT(absent, present * 0.6);
  EXPECT_LT(absent, present * 1.7);
}

}  // namespace
}  // namespace tideline::crypto
