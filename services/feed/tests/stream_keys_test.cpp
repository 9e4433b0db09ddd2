#include "feed/domain/stream_keys.hpp"

#include <gtest/gtest.h>

#include "core/testing/injective_keys.hpp"

namespace tideline::feed {
namespace {

using core::testing::KeyArguments;

TEST(StreamKeys, AreInjectiveTogether) {
  core::testing::expect_injective({
      [](KeyArguments& with) { return keys::moment(with.number<core::MomentId>()); },
      [](KeyArguments& with) {
        const auto first = with.number<core::MomentId>();
        const auto second = with.account();
        return keys::like(first, second);
      },
      [](KeyArguments& with) {
        const auto first = with.number<core::MomentId>();
        const auto second = with.number<core::CommentId>();
        return keys::comment(first, second);
      },
      [](KeyArguments& with) {
        const auto first = with.account();
        const auto second = with.time();
        return keys::message(first, second);
      },
      [](KeyArguments& with) {
        const auto first = with.account();
        const auto second = with.time();
        return keys::reading(first, second);
      },
      [](KeyArguments& with) { return keys::timeline_reading(with.account()); },
  });
}

}  // namespace
}  // namespace tideline::feed
