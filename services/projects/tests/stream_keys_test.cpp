#include "projects/stream_keys.hpp"

#include <gtest/gtest.h>

#include "projects/testing/key_builders.hpp"

namespace tideline::projects {
namespace {

TEST(StreamKeys, AreInjectiveTogether) { core::testing::expect_injective(testing::key_builders()); }

}  // namespace
}  // namespace tideline::projects
