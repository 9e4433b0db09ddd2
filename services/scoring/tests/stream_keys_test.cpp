#include "scoring/stream_keys.hpp"

#include <gtest/gtest.h>

#include "scoring/testing/key_builders.hpp"

namespace tideline::scoring {
namespace {

TEST(StreamKeys, AreInjectiveTogether) { core::testing::expect_injective(testing::key_builders()); }

}  // namespace
}  // namespace tideline::scoring
