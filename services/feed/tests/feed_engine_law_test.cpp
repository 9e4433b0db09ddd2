// The law of the feed engine: whatever has happened, in whatever order the logs brought it, every
// timeline, author's page and moment is what the oracle says, through all pages in both directions.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <sstream>

#include "feed/projections/engine/feed_engine.hpp"
#include "histories.hpp"
#include "oracle.hpp"

namespace tideline::feed {
namespace {

using testing::History;
using testing::Oracle;
using testing::Tape;
using Ids = std::vector<std::uint64_t>;
using Difference = std::optional<std::string>;
using ReadPage = std::function<TimelinePage(const PlaceInTimeline&)>;

std::string print(const Ids& ids) {
  std::ostringstream text;
  for (const auto id : ids) text << ' ' << id;
  return text.str();
}

Ids ids_of(const TimelinePage& page) {
  Ids ids;
  for (const TimelineEntry& entry : page.entries) ids.push_back(entry.id.value());
  return ids;
}

// Down from the newest to the first, then up again.
Difference compare_pages(const std::string& what, const Ids& expected, const ReadPage& read) {
  Ids down;
  PlaceInTimeline place;
  for (std::size_t i = 0; i <= expected.size() + 1; ++i) {
    const TimelinePage page = read(place);
    const Ids ids = ids_of(page);
    if (!ids.empty() && page.has_newer != !down.empty()) return what + ": has_newer is wrong";
    down.insert(down.end(), ids.begin(), ids.end());
    if (!ids.empty() && page.has_older != (down.size() < expected.size())) {
      return what + ": has_older is wrong";
    }
    if (!page.has_older) break;
    place = {.older_than = page.entries.back().id, .newer_than = {}};
  }
  if (down != expected) return what + " reads" + print(down) + ", expected" + print(expected);
  if (expected.empty()) return std::nullopt;

  Ids up{expected.back()};
  for (std::size_t i = 0; i <= expected.size(); ++i) {
    const TimelinePage page = read({.older_than = {}, .newer_than = core::MomentId(up.front())});
    const Ids ids = ids_of(page);
    if (!ids.empty() && !page.has_older) return what + ": has_older is wrong on the way up";
    up.insert(up.begin(), ids.begin(), ids.end());
    if (!page.has_newer) break;
  }
  if (up != expected) return what + " reads upwards" + print(up) + ", expected" + print(expected);
  return std::nullopt;
}

Difference compare(const History& history, FeedEngine& engine, const Oracle& oracle,
                   std::size_t limit) {
  for (std::size_t v = 0; v < history.people().size(); ++v) {
    const core::AccountId& viewer = history.people()[v];
    const std::string who = "viewer " + std::to_string(v);
    auto difference =
        compare_pages(who + "'s timeline", oracle.timeline(viewer),
                      [&](const auto& place) { return engine.timeline(viewer, place, limit); });
    if (difference) return difference;
    for (std::size_t a = 0; a < history.people().size(); ++a) {
      const core::AccountId& author = history.people()[a];
      difference = compare_pages(
          who + " on the page of " + std::to_string(a), oracle.moments_of(author, viewer),
          [&](const auto& place) { return engine.moments_of(author, viewer, place, limit); });
      if (difference) return difference;
    }
    for (const core::MomentId id : history.moments()) {
      if (engine.find_visible(id, viewer).has_value() != oracle.shows(id.value(), viewer)) {
        return who + " by id " + core::to_string(id);
      }
    }
  }
  return std::nullopt;
}

struct Trial {
  std::vector<std::uint32_t> history;
  std::vector<std::uint32_t> interleaving;
  std::uint32_t timeline_length_max = 4;
  std::uint32_t limit = 3;
};

// Compares at the end and at some places on the way, where reads also merge what is pending.
Difference run(const Trial& trial, VisibilityRules rules = {}) {
  const History history(trial.history);
  Oracle oracle;
  eventsourcing::AppliedPositions applied;
  FeedEngine engine(
      {.timeline_length_max = trial.timeline_length_max, .rules = rules, .on_fan_out = {}});
  applied.reset(engine.sources(), {});
  engine.watch(applied);

  Tape pauses(trial.interleaving);
  for (const auto& event : history.interleaved(Tape(trial.interleaving))) {
    engine.apply(event);
    oracle.deliver(event);
    applied.advance(oracle.delivered());
    if (pauses.below(8) == 1) {
      if (auto difference = compare(history, engine, oracle, trial.limit)) return difference;
    }
  }
  return compare(history, engine, oracle, trial.limit);
}

// Finds a history in which an engine without the rule answers otherwise than the oracle.
bool is_noticed(VisibilityRules rules) {
  std::mt19937 numbers(20260102);
  for (int attempt = 0; attempt < 20; ++attempt) {
    Trial trial;
    for (int i = 0; i < 800; ++i) trial.history.push_back(static_cast<std::uint32_t>(numbers()));
    for (int i = 0; i < 500; ++i)
      trial.interleaving.push_back(static_cast<std::uint32_t>(numbers()));
    if (run(trial, rules)) return true;
  }
  return false;
}

RC_GTEST_PROP(FeedEngineLaw, EqualsTheOracleInEveryInterleaving, ()) {
  Trial trial;
  const auto numbers = [](int length) {
    return rc::gen::resize(rc::kNominalSize, rc::gen::container<std::vector<std::uint32_t>>(
                                                 static_cast<std::size_t>(length),
                                                 rc::gen::arbitrary<std::uint32_t>()));
  };
  trial.history = *numbers(*rc::gen::inRange(0, 1200));
  trial.interleaving = *numbers(*rc::gen::inRange(0, 600));
  trial.timeline_length_max = *rc::gen::inRange<std::uint32_t>(1, 12);
  trial.limit = *rc::gen::inRange<std::uint32_t>(1, 6);
  const auto difference = run(trial);
  if (difference) RC_FAIL(*difference);
}

TEST(FeedEngineLaw, NoticesAMissingExclusion) { EXPECT_TRUE(is_noticed({.exclusion = false})); }
TEST(FeedEngineLaw, NoticesAMissingPartlyInvisible) {
  EXPECT_TRUE(is_noticed({.partly_invisible = false}));
}
TEST(FeedEngineLaw, NoticesAMissingAudience) { EXPECT_TRUE(is_noticed({.audience = false})); }
TEST(FeedEngineLaw, FindsNothingWhereNothingIsBroken) { EXPECT_FALSE(is_noticed({})); }

}  // namespace
}  // namespace tideline::feed
