// Events that a projection has decoded in Projection::prefetch() and not applied yet: a ring of the
// last ones, for some of them are never applied.
//
// Not synchronized: the runner's thread alone.
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"
#include "eventsourcing/projections/projection.hpp"

namespace tideline::eventsourcing {

template <class Decoded>
class PrefetchedEvents {
 public:
  // Says what an event means; nullopt: nothing to the projection. Throws for a broken one.
  using Decode = std::optional<Decoded> (*)(const RecordedEvent& event);

  explicit PrefetchedEvents(Decode decode) : decode_(decode) {}

  // What it means, until it is taken or kPrefetchAhead others are prefetched; nullptr: nothing, or
  // take() will throw.
  const Decoded* prefetch(const RecordedEvent& event) {
    Prefetched& prefetched = ring_[next_++ % ring_.size()];
    prefetched = {event.source, event.log, event.position, std::nullopt};
    try {
      prefetched.event = decode_(event);
    } catch (const std::exception&) {
      // A broken one is refused in its turn.
    }
    return prefetched.event ? &*prefetched.event : nullptr;
  }

  // What the event means, decoded already if it was prefetched.
  std::optional<Decoded> take(const RecordedEvent& event) {
    for (Prefetched& prefetched : ring_) {
      if (prefetched.event && prefetched.position == event.position &&
          prefetched.log == event.log && prefetched.source == event.source) {
        return std::exchange(prefetched.event, std::nullopt);
      }
    }
    return decode_(event);
  }

 private:
  // An event's place says which it is for good.
  struct Prefetched {
    std::string source;
    core::LogIndex log{0};
    core::LogPosition position{0};
    std::optional<Decoded> event;  // nullopt: taken
  };

  const Decode decode_;
  std::array<Prefetched, Projection::kPrefetchAhead + 1> ring_;
  std::size_t next_ = 0;
};

}  // namespace tideline::eventsourcing
