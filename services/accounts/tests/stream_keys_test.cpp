#include "accounts/stream_keys.hpp"

#include <gtest/gtest.h>

#include "accounts/testing/key_builders.hpp"

namespace tideline::accounts {
namespace {

TEST(StreamKeys, AreInjectiveTogether) { core::testing::expect_injective(testing::key_builders()); }

TEST(StreamKeys, ReadAsTheirParts) {
  const core::AccountId id({0xFF});
  EXPECT_EQ(keys::account(id).value(), "account-74aaaaaaaaaaaaaaaaaaaaaaaa");
}

}  // namespace
}  // namespace tideline::accounts
