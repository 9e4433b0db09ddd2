#include "social-graph/stream_keys.hpp"

#include <gtest/gtest.h>

#include "social-graph/testing/key_builders.hpp"

namespace tideline::social_graph {
namespace {

TEST(StreamKeys, AreInjectiveTogether) { core::testing::expect_injective(testing::key_builders()); }

TEST(StreamKeys, APairOfContactsIsOneStreamWhicheverComesFirst) {
  const core::AccountId a({1});
  const core::AccountId b({2});
  EXPECT_EQ(keys::contact(a, b), keys::contact(b, a));
  EXPECT_NE(keys::follow(a, b), keys::follow(b, a));
  EXPECT_NE(keys::contact(a, b).value(), keys::follow(a, b).value());
}

}  // namespace
}  // namespace tideline::social_graph
