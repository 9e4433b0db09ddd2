// The law of the feed engine: whatever has happened, in whatever order the logs brought it, every
// timeline, author's page and moment is what the oracle says, through all pages in both directions.
// In most histories there is no room for everybody's array, and the bound is held at every event.
//
// And while logs are ahead of each other: where every writer had seen what was before him, nobody
// is shown a moment but as it was at one time, and not at one before all that the engine has.
//
// TIDELINE_FEED_HISTORIES=n tries n histories instead of 2,500. rapidcheck prints the seed;
// RC_PARAMS="seed=..." runs it again.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

#include "one_time.hpp"
#include "trial.hpp"

namespace tideline::feed {
namespace {

using testing::Numbers;
using testing::Trial;

int histories() {
  const char* wanted = std::getenv("TIDELINE_FEED_HISTORIES");
  return wanted == nullptr ? 2'500 : std::atoi(wanted);
}

Numbers tape(int numbers_max) {
  const auto length = *rc::gen::inRange(0, numbers_max);
  // Not smaller numbers for early trials: each is one of few choices.
  return *rc::gen::resize(rc::kNominalSize,
                          rc::gen::container<Numbers>(static_cast<std::size_t>(length),
                                                      rc::gen::arbitrary<std::uint32_t>()));
}

Trial some_trial(int history_max, int interleaving_max) {
  Trial trial;
  trial.history = tape(history_max);
  trial.interleaving = tape(interleaving_max);
  trial.timeline_length_max = *rc::gen::inRange<std::uint32_t>(1, 30);
  trial.arrays_max = *rc::gen::inRange<std::uint32_t>(0, 4);
  trial.limit = *rc::gen::inRange<std::uint32_t>(1, 6);
  trial.looks_at_once = 1U << *rc::gen::inRange<std::uint32_t>(0, 10);
  return trial;
}

// Runs the check so often and says how it went; `extra` goes to that line.
void expect_law(const char* name, int trials, const std::function<void()>& trial,
                const std::function<std::string()>& extra) {
  auto params = rc::detail::configuration().testParams;
  params.maxSuccess = trials;
  const auto result = rc::detail::checkTestable(trial, rc::detail::TestMetadata{name, ""}, params);
  std::cout << extra() << ", seed " << params.seed << '\n';
  if (result.is<rc::detail::SuccessResult>()) return;
  rc::detail::printResultMessage(result, std::cerr);
  FAIL() << "the engine differs from the oracle";
}

TEST(FeedEngineLaw, EqualsTheOracleInEveryInterleaving) {
  ASSERT_GT(histories(), 0) << "TIDELINE_FEED_HISTORIES";
  std::size_t compared = 0;
  std::size_t evictions = 0;
  const auto one_trial = [&] {
    if (const auto difference = run(some_trial(1500, 800), {}, &evictions)) RC_FAIL(*difference);
    ++compared;
  };
  expect_law("FeedEngineLaw", histories(), one_trial, [&] {
    return std::to_string(compared) + " histories, " + std::to_string(evictions) +
           " timelines evicted";
  });
  if (HasFailure()) return;
  EXPECT_GT(evictions, compared) << "there was room for nearly all";
}

TEST(FeedEngineLaw, ShowsNothingThatWasNeverSo) {
  std::size_t looks = 0;
  std::size_t ahead = 0;
  const auto one_trial = [&] {
    testing::LooksAtOneTime at_one_time(some_trial(400, 300));
    if (const auto difference = at_one_time.run()) RC_FAIL(*difference);
    looks += at_one_time.looks();
    ahead += at_one_time.looks_ahead();
  };
  expect_law("FeedEngineCut", std::max(histories() / 10, 100), one_trial, [&] {
    return std::to_string(looks) + " timelines, " + std::to_string(ahead) +
           " while logs were ahead of each other";
  });
  EXPECT_GT(ahead, looks / 2) << "the logs came as they were written";
}

}  // namespace
}  // namespace tideline::feed
