#include "accounts/domain/stream_keys.hpp"

#include <gtest/gtest.h>

#include "core/testing/injective_keys.hpp"

namespace tideline::accounts {
namespace {

using core::testing::KeyArguments;

TEST(StreamKeys, AreInjectiveTogether) {
  core::testing::expect_injective({
      [](KeyArguments& with) { return keys::account(with.account()); },
      [](KeyArguments& with) {
        const auto first = with.account();
        const auto second = with.day();
        return keys::sign_in(first, second);
      },
      [](KeyArguments& with) { return keys::session(with.id()); },
      [](KeyArguments& with) {
        const auto first = with.account();
        const auto second = with.account();
        const auto third = with.day();
        return keys::profile_view(first, second, third);
      },
  });
}

TEST(StreamKeys, ReadAsTheirParts) {
  const core::AccountId id({0xFF});
  EXPECT_EQ(keys::account(id).value(), "account-74aaaaaaaaaaaaaaaaaaaaaaaa");
}

}  // namespace
}  // namespace tideline::accounts
