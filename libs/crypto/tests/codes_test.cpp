#include "crypto/codes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tideline::crypto {
namespace {

const core::Timestamp kNoon = *core::parse_iso8601("2026-05-01T12:00:00Z");
const core::Timestamp kOne = kNoon + std::chrono::hours(1);

Codes codes(std::uint8_t key = 7) { return Codes(KeyedHash(KeyedHash::Secret{key})); }

TEST(Codes, AreGoodUntilTheyExpire) {
  const std::string code = codes().make("reset:ada:1", kOne);
  EXPECT_EQ(code.size(), Codes::kLength);
  EXPECT_TRUE(codes().accepts(code, "reset:ada:1", kNoon));
  EXPECT_TRUE(codes().accepts(code, "reset:ada:1", kOne - std::chrono::seconds(1)));
  EXPECT_FALSE(codes().accepts(code, "reset:ada:1", kOne));
}

TEST(Codes, AreAboutOneThing) {
  const std::string code = codes().make("reset:ada:1", kOne);
  EXPECT_FALSE(codes().accepts(code, "reset:ada:2", kNoon));
  EXPECT_FALSE(codes().accepts(code, "reset:ben:1", kNoon));
  EXPECT_FALSE(codes(8).accepts(code, "reset:ada:1", kNoon)) << "another key";
}

TEST(Codes, HaveOneFormAndNoOther) {
  const std::string code = codes().make("x", kOne);
  EXPECT_FALSE(codes().accepts("", "x", kNoon));
  EXPECT_FALSE(codes().accepts(code + "a", "x", kNoon));
  EXPECT_FALSE(codes().accepts(std::string(Codes::kLength, '!'), "x", kNoon));
}

// Also of the bits that say when it expires.
RC_GTEST_PROP(CodesLaw, NoOtherCodeIsGood, ()) {
  std::string code = codes().make("x", kOne);
  const auto at = *rc::gen::inRange<std::size_t>(0, code.size());
  const char other = "abcdefghijklmnopqrstuvwxyz234567"[*rc::gen::inRange(0, 32)];
  RC_PRE(code[at] != other);
  code[at] = other;
  RC_ASSERT(!codes().accepts(code, "x", kNoon));
}

}  // namespace
}  // namespace tideline::crypto
