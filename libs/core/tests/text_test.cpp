#include "core/text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/result.hpp"

namespace tideline::core {
namespace {

TEST(CodePoints, AreCountedNotBytes) {
  EXPECT_EQ(code_points(""), 0U);
  EXPECT_EQ(code_points("abc"), 3U);
  EXPECT_EQ(code_points("\xc3\xbc\xe2\x9c\x93\xf0\x9f\x8c\x8a"), 3U);  // two, three, four bytes
}

TEST(CodePoints, OfBytesThatAreNotUtf8AreNone) {
  for (const char* bytes : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80",
                            "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xff", "a\xe2\x9c"}) {
    EXPECT_FALSE(code_points(bytes).has_value());
  }
}

TEST(UserIds, AreOneTo64OfAFewCharacters) {
  for (const char* good : {"0", "007", "a.b_c-D"}) EXPECT_TRUE(is_user_id(good)) << good;
  EXPECT_TRUE(is_user_id(std::string(64, 'x')));
  for (const char* bad :
       {"", "a b", "a/b", "\xc3\xbc", "a\n", "me", "hidden", "hidden-from", "rules"})
    EXPECT_FALSE(is_user_id(bad));
  EXPECT_FALSE(is_user_id(std::string(65, 'x')));
}

TEST(Results, HoldAValueOrAnError) {
  const Result<int> good = 5;
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(*good, 5);
  const Result<int> bad = unavailable("away");
  EXPECT_FALSE(bad.ok());
  EXPECT_TRUE(bad.error().retryable);
  EXPECT_FALSE(invalid_input("x").retryable);
  EXPECT_TRUE(success().ok());
}

TEST(ResultsDeathTest, AskedForWhatTheyDoNotHoldAreABug) {
  const Result<int> bad = internal_error("the reason");
  EXPECT_DEATH(static_cast<void>(bad.value()), "the reason");
  const Result<int> good = 1;
  EXPECT_DEATH(static_cast<void>(good.error()), "no error");
}

}  // namespace
}  // namespace tideline::core
