#include "crypto/digest.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

namespace tideline::crypto {
namespace {

TEST(DigestTest, Sha256OfKnownTexts) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(DigestTest, Blake2bOfAKnownText) {
  EXPECT_EQ(blake2b_256_hex("abc"),
            "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST(DigestTest, ComparesLikeEquality) {
  EXPECT_TRUE(rc::check("constant-time comparison answers what == answers",
                        [](const std::string& one, const std::string& other) {
                          RC_ASSERT(equal_in_constant_time(one, other) == (one == other));
                          RC_ASSERT(equal_in_constant_time(one, std::string(one)));
                          RC_ASSERT(!equal_in_constant_time(one, one + "x"));
                        }));
  EXPECT_FALSE(equal_in_constant_time("token-a", "token-b"));
}

TEST(DigestTest, RandomTokensCarry256Bits) {
  core::SeededRandom random(1);
  const std::string first = random_token(random);
  const std::string second = random_token(random);
  EXPECT_EQ(first.size(), 43U);
  EXPECT_NE(first, second);
  core::SeededRandom same_seed(1);
  EXPECT_EQ(random_token(same_seed), first);
}

}  // namespace
}  // namespace tideline::crypto
