#include "feed/stream_keys.hpp"

#include <gtest/gtest.h>

#include "feed/testing/key_builders.hpp"

namespace tideline::feed {
namespace {

TEST(StreamKeys, AreInjectiveTogether) { core::testing::expect_injective(testing::key_builders()); }

}  // namespace
}  // namespace tideline::feed
