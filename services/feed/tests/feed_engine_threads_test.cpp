// One writer and several readers at once. Under the thread sanitizer this is where a race shows;
// everywhere, pages keep their order and nothing private leaves while everything changes.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "feed/projections/engine/feed_engine.hpp"
#include "histories.hpp"

namespace tideline::feed {
namespace {

using testing::History;

History long_history() {
  std::mt19937 numbers(7);
  std::vector<std::uint32_t> tape;
  for (int i = 0; i < 12'000; ++i) tape.push_back(static_cast<std::uint32_t>(numbers()));
  return History(tape);
}

TEST(FeedEngineThreads, ReadersMeetWholePagesWhileEventsAreApplied) {
  const History history = long_history();
  // Those that are private from the first to the last.
  std::set<core::MomentId> secrets, open;
  for (const auto& event : history.events()) {
    const auto data = nlohmann::json::parse(event.data);
    if (!data.contains("audience")) continue;
    const auto id = *core::parse_moment_id(data["moment_id"].get<std::string>());
    (data["audience"] == "private" ? secrets : open).insert(id);
  }
  std::erase_if(secrets, [&](core::MomentId id) { return open.contains(id); });
  ASSERT_GT(secrets.size(), 20U);

  eventsourcing::AppliedPositions applied;
  // Room for one array alone: the others wait for theirs, or are merged.
  FeedEngine engine({.timeline_length_max = 16,
                     .timeline_bytes_max = ViewerTimelines::room_for(16, 1),
                     .looks_at_once = 2,
                     .rules = {},
                     .on_fan_out = {}});
  applied.reset(engine.sources(), {});
  engine.watch(applied);
  std::atomic<bool> done{false};
  std::atomic<std::size_t> pages{0};
  std::atomic<std::size_t> faults{0};
  const auto read_all = [&](std::size_t which) {
    const core::AccountId& viewer = history.people()[which];
    do {
      PlaceInTimeline place;
      while (true) {
        const TimelinePage page = engine.reader().timeline(viewer, place, 5);
        ++pages;
        for (std::size_t i = 0; i < page.entries.size(); ++i) {
          const TimelineEntry& entry = page.entries[i];
          if (i > 0 && page.entries[i - 1].id <= entry.id) ++faults;
          if (place.older_than && entry.id >= *place.older_than) ++faults;
          if (secrets.contains(entry.id) && entry.author != viewer) ++faults;
        }
        if (!page.has_older) break;
        place.older_than = page.entries.back().id;
      }
      engine.reader().moments_of(history.people()[0], viewer, {}, 5);
      engine.size();
      engine.reader().reads_group_since(history.groups()[0], history.people()[0]);
      engine.reader().groups_of(history.people()[0], 5);
    } while (!done);
  };
  std::vector<std::jthread> readers;
  for (std::size_t i = 0; i < 3; ++i) readers.emplace_back(read_all, i);
  // Shards come and go meanwhile.
  readers.emplace_back([&] {
    for (std::uint64_t turn = 1; !done; ++turn)
      engine.keep(ShardSet(turn * 0x9e37'79b9'7f4a'7c15U));
  });
  eventsourcing::PositionVector delivered;
  const auto& events = history.events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::size_t soon = i + FeedEngine::kPrefetchAhead;
    if (soon < events.size()) engine.prefetch(events[soon]);
    const auto& event = events[i];
    engine.apply(event);
    delivered.raise(event.source, event.log, event.position);
    applied.advance(delivered);
  }
  // They go on until then: on a busy machine all events may be applied before a second page.
  while (pages <= 30U) std::this_thread::yield();
  done = true;
  readers.clear();
  EXPECT_EQ(faults, 0U);
  EXPECT_LE(engine.size().array_bytes, ViewerTimelines::room_for(16, 1));
}

}  // namespace
}  // namespace tideline::feed
