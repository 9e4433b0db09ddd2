// Events that a projection decoded when it was told of them (Projection::expect()), until it
// applies them: the last ones, for of those told of some never come.
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
#include "eventsourcing/event.hpp"
#include "eventsourcing/projection.hpp"

namespace tideline::eventsourcing {

template <class Decoded>
class ExpectedEvents {
 public:
  // Says what an event means; nullopt: nothing to the projection. Throws for a broken one.
  using Decode = std::optional<Decoded> (*)(const RecordedEvent& event);

  explicit ExpectedEvents(Decode decode) : decode_(decode) {}

  // What it means, until it is taken or kExpectedAhead others are told of; nullptr: nothing, or
  // take() will throw.
  const Decoded* expect(const RecordedEvent& event) {
    Expected& expected = ring_[next_++ % ring_.size()];
    expected = {event.source, event.log, event.position, std::nullopt};
    try {
      expected.event = decode_(event);
    } catch (const std::exception&) {
      // A broken one is refused in its turn.
    }
    return expected.event ? &*expected.event : nullptr;
  }

  // What the event means, decoded already if it was expected.
  std::optional<Decoded> take(const RecordedEvent& event) {
    for (Expected& expected : ring_) {
      if (expected.event && expected.position == event.position && expected.log == event.log &&
          expected.source == event.source) {
        return std::exchange(expected.event, std::nullopt);
      }
    }
    return decode_(event);
  }

 private:
  // An event's place says which it is for good.
  struct Expected {
    std::string source;
    core::LogIndex log{0};
    core::LogPosition position{0};
    std::optional<Decoded> event;  // nullopt: taken
  };

  const Decode decode_;
  std::array<Expected, Projection::kExpectedAhead + 1> ring_;
  std::size_t next_ = 0;
};

}  // namespace tideline::eventsourcing
