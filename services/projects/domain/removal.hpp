// The removal of one comment, by who wrote it or by the project's author: a stream of its own, so
// that the numbers of comments stay those of the events in their own stream. The place of the
// comment stays, and so do the answers to it.
#pragma once

#include <cstdint>
#include <variant>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "projects/events.hpp"

namespace tideline::projects {

// `comment` as it was written at `written_at`; it never changes.
struct RemoveComment {
  CommentAdded comment;
  core::Timestamp written_at;
  core::AccountId by;
};

struct Removal {
  static constexpr std::uint32_t kEventsMax = 1;

  using Event = std::variant<CommentRemoved>;

  struct State {
    bool removed = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<RemoveComment>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::projects
