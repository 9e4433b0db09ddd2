#include "scoring/domain/stream_keys.hpp"

#include <gtest/gtest.h>

#include "core/testing/injective_keys.hpp"

namespace tideline::scoring {
namespace {

using core::testing::KeyArguments;

TEST(StreamKeys, AreInjectiveTogether) {
  core::testing::expect_injective({
      [](KeyArguments& with) { return keys::adjustment(with.id()); },
      [](KeyArguments&) { return keys::rules(); },
      [](KeyArguments& with) {
        const auto first = with.account();
        const auto second = with.account();
        return keys::person_rating(first, second);
      },
      [](KeyArguments& with) {
        const auto first = with.account();
        const auto second = with.id();
        return keys::project_rating(first, second);
      },
  });
}

}  // namespace
}  // namespace tideline::scoring
