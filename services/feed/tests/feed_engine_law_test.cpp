// The law of the feed engine: whatever has happened, in whatever order the logs brought it, every
// timeline, author's page and moment is what the oracle says, through all pages in both directions.
// In most histories there is no room for everybody's array, and the bound is held at every event.
//
// TIDELINE_FEED_HISTORIES=n tries n histories instead of 10,000. rapidcheck prints the seed;
// RC_PARAMS="seed=..." runs it again.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <iostream>

#include "trial.hpp"

namespace tideline::feed {
namespace {

using testing::Numbers;
using testing::Trial;

int histories() {
  const char* wanted = std::getenv("TIDELINE_FEED_HISTORIES");
  return wanted == nullptr ? 10'000 : std::atoi(wanted);
}

Numbers tape(int numbers_max) {
  const auto length = *rc::gen::inRange(0, numbers_max);
  // Not smaller numbers for early trials: each is one of few choices.
  return *rc::gen::resize(rc::kNominalSize,
                          rc::gen::container<Numbers>(static_cast<std::size_t>(length),
                                                      rc::gen::arbitrary<std::uint32_t>()));
}

TEST(FeedEngineLaw, EqualsTheOracleInEveryInterleaving) {
  auto params = rc::detail::configuration().testParams;
  params.maxSuccess = histories();
  ASSERT_GT(params.maxSuccess, 0) << "TIDELINE_FEED_HISTORIES";
  int compared = 0;
  std::size_t evictions = 0;
  const auto result = rc::detail::checkTestable(
      [&] {
        Trial trial;
        trial.history = tape(1500);
        trial.interleaving = tape(800);
        trial.timeline_length_max = *rc::gen::inRange<std::uint32_t>(1, 30);
        trial.arrays_max = *rc::gen::inRange<std::uint32_t>(0, 4);
        trial.limit = *rc::gen::inRange<std::uint32_t>(1, 6);
        if (const auto difference = run(trial, {}, &evictions)) RC_FAIL(*difference);
        ++compared;
      },
      rc::detail::TestMetadata{"FeedEngineLaw", ""}, params);
  std::cout << compared << " histories, " << evictions << " timelines evicted, seed " << params.seed
            << '\n';
  if (result.is<rc::detail::SuccessResult>()) {
    EXPECT_GT(evictions, static_cast<std::size_t>(compared)) << "there was room for nearly all";
    return;
  }
  rc::detail::printResultMessage(result, std::cerr);
  FAIL() << "the engine differs from the oracle";
}

}  // namespace
}  // namespace tideline::feed
