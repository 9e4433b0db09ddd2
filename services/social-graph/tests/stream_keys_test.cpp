#include "social-graph/domain/stream_keys.hpp"

#include <gtest/gtest.h>

#include "core/testing/injective_keys.hpp"

namespace tideline::social_graph {
namespace {

using core::testing::KeyArguments;

TEST(StreamKeys, AreInjectiveTogether) {
  core::testing::expect_injective({
      [](KeyArguments& with) { return keys::contact_count(with.account()); },
      [](KeyArguments& with) {
        const auto first = with.account();
        const auto second = with.account();
        return keys::follow(first, second);
      },
      [](KeyArguments& with) { return keys::tag(with.id()); },
      [](KeyArguments& with) {
        const auto first = with.id();
        const auto second = with.account();
        return keys::tagged(first, second);
      },
      [](KeyArguments& with) {
        const auto first = with.account();
        const auto second = with.account();
        return keys::exclusion(first, second);
      },
      [](KeyArguments& with) { return keys::group(with.id()); },
      [](KeyArguments& with) {
        const auto first = with.id();
        const auto second = with.account();
        return keys::member(first, second);
      },
      [](KeyArguments& with) { return keys::member_count(with.id()); },
  });
}

TEST(StreamKeys, APairOfContactsIsOneStreamWhicheverComesFirst) {
  const core::AccountId a({1});
  const core::AccountId b({2});
  EXPECT_EQ(keys::contact(a, b), keys::contact(b, a));
  EXPECT_NE(keys::follow(a, b), keys::follow(b, a));
  EXPECT_NE(keys::contact(a, b).value(), keys::follow(a, b).value());
}

}  // namespace
}  // namespace tideline::social_graph
