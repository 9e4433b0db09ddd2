// That somebody has bookmarked a moment: set, removed, set again. Whether he may see the moment is
// asked before.
#pragma once

#include <cstdint>
#include <variant>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "eventsourcing/commands/limited_count.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

// Commands
struct BookmarkMoment {
  core::AccountId owner;
  core::MomentId moment;
  core::Timestamp now;
};
struct RemoveBookmark {
  core::AccountId owner;
  core::MomentId moment;
};

struct Bookmark {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<MomentBookmarked, BookmarkRemoved>;
  struct State {
    bool standing = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<BookmarkMoment, RemoveBookmark>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

// How many somebody has.
using BookmarkCount = eventsourcing::LimitedCount<BookmarkCountChanged, core::AccountId>;
inline constexpr std::int64_t kBookmarksMax = 5'000;

}  // namespace tideline::feed
