#include <gtest/gtest.h>

#include <string>

#include "core/prefetch.hpp"

namespace tideline::core {
namespace {

std::string calls_of(std::size_t count, std::size_t lag) {
  std::string calls;
  const auto step = [&](char name) {
    return [&calls, name](std::size_t i) { calls += name + std::to_string(i) + ' '; };
  };
  staggered(count, lag, step('a'), step('b'), step('c'));
  return calls;
}

TEST(Staggered, EachStepIsBehindTheOneBefore) {
  EXPECT_EQ(calls_of(4, 1), "a0 a1 b0 a2 b1 c0 a3 b2 c1 b3 c2 c3 ");
  EXPECT_EQ(calls_of(3, 2), "a0 a1 a2 b0 b1 b2 c0 c1 c2 ");
}

TEST(Staggered, FewerThanALagTakeOneStepAfterTheOther) {
  EXPECT_EQ(calls_of(2, 8), "a0 a1 b0 b1 c0 c1 ");
  EXPECT_EQ(calls_of(0, 8), "");
}

TEST(Staggered, WithoutALagAllStepsOfOneComeFirst) {
  EXPECT_EQ(calls_of(2, 0), "a0 b0 c0 a1 b1 c1 ");
}

}  // namespace
}  // namespace tideline::core
