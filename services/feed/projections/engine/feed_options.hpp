// What the feed engine is given when it is made.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "core/clock.hpp"
#include "feed/domain/visibility.hpp"
#include "feed/projections/engine/feed_memory.hpp"
#include "feed/projections/events_read.hpp"

namespace tideline::feed {

// A moment has been fanned out. Told on the runner's thread.
struct FanOut {
  core::Timestamp published_at;
  std::size_t deliveries = 0;  // ids appended to viewers' arrays, the author's own among them
};

// What lets older moments of an author appear on a viewer's timeline.
enum class Grant {
  Contact,   // they become contacts
  Follow,    // the viewer follows the author
  Tag,       // the author tags him, ...
  Untag,     // ... untags him, ...
  TagEnd,    // ... deletes the tag
  Wanted,    // the viewer does not exclude the author any more
  Allowed,   // the author does not exclude the viewer any more
  Join,      // the viewer joins a group that a moment names, ...
  Leave,     // ... leaves it, ...
  GroupEnd,  // ... it is dissolved
  Unblock,   // one of them blocks the other no more
  Audience,  // the author changes the audience of a moment
};

// What ends that a viewer wants an author's moments.
enum class Loss {
  Contact,  // they are contacts no more
  Follow,   // the viewer follows the author no more
  Wanted,   // the viewer excludes the author
};

struct FeedEngineOptions {
  std::size_t timeline_length_max = 512;                  // ids a viewer's array holds at most
  std::size_t timeline_bytes_max = std::size_t{1} << 30;  // that all arrays take
  // Moments that a page looks at before it lets the writer, who waits for it, have the memory.
  std::size_t looks_at_once = 4096;
  VisibilityRules rules;
#ifdef TIDELINE_BREAKABLE
  // Only to show that a check notices them missing.
  std::optional<Grant> ignored_grant{};
  std::optional<Loss> ignored_loss{};
  bool ignores(Grant grant) const { return ignored_grant == grant; }
  bool ignores(Loss loss) const { return ignored_loss == loss; }
#else
  static constexpr bool ignores(Grant) { return false; }
  static constexpr bool ignores(Loss) { return false; }
#endif
  std::function<void(const FanOut&)> on_fan_out;  // may be empty
  // Asked by each load(): a memory that was saved; nullopt: begin at the first event. Throws
  // TransactionFailed when that cannot be said now. May be empty.
  std::function<std::optional<RestoredFeed>()> restore{};
  // How many arrays have been emptied for want of room. Told on any thread; may be empty.
  std::function<void(std::size_t)> on_evictions{};
  // Told of each event that apply() uses, on the runner's thread: before readers are shown anything
  // of it, and when they are shown no more what it takes away. May be empty.
  std::function<void(const read::Event&)> before_use{};
  std::function<void(const read::Event&)> after_use{};
};

}  // namespace tideline::feed
