// The moment that somebody's page shows first. Every event carries the whole state. Whether it is
// his own is asked before.
#pragma once

#include <optional>
#include <variant>

#include "core/time_ordered_id.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

// Commands
struct PinMoment {  // in place of the one before
  core::AccountId author;
  core::MomentId moment;
};
struct UnpinMoment {  // nothing, where another one is pinned
  core::AccountId author;
  core::MomentId moment;
};

struct PinnedMoment {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<PinnedMomentChanged>;
  struct State {
    std::optional<core::MomentId> moment;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<PinMoment, UnpinMoment>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
