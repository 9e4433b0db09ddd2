#include "projects/domain/stream_keys.hpp"

#include <gtest/gtest.h>

#include "core/testing/injective_keys.hpp"

namespace tideline::projects {
namespace {

using core::testing::KeyArguments;

TEST(StreamKeys, AreInjectiveTogether) {
  core::testing::expect_injective({
      [](KeyArguments& with) { return keys::project(with.id()); },
      [](KeyArguments& with) { return keys::comments(with.id()); },
      [](KeyArguments& with) { return keys::documents(with.id()); },
      [](KeyArguments& with) {
        const auto first = with.id();
        const auto second = with.id();
        return keys::advice(first, second);
      },
      [](KeyArguments& with) { return keys::voting(with.id()); },
      [](KeyArguments& with) {
        const auto first = with.id();
        const auto second = with.account();
        return keys::vote(first, second);
      },
  });
}

}  // namespace
}  // namespace tideline::projects
