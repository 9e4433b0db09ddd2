// Who sees how many people follow somebody and how many he follows. He does himself; nobody else
// before he allows it.
#pragma once

#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Commands
struct ShowFollowCounts {
  core::AccountId owner;
  CountAudience shown_to = CountAudience::Nobody;
};

// Each event says the whole state: read the last one.
struct FollowSetting {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<FollowCountsShown>;

  struct State {
    CountAudience shown_to = CountAudience::Nobody;
  };
  static State evolve(State state, const Event& event) {
    state.shown_to = std::get<FollowCountsShown>(event).shown_to;
    return state;
  }

  using Command = std::variant<ShowFollowCounts>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command) {
    const auto& wanted = std::get<ShowFollowCounts>(command);
    if (state.shown_to == wanted.shown_to) return eventsourcing::Decision<Event>::nothing();
    return eventsourcing::Decision<Event>::of(FollowCountsShown{wanted.owner, wanted.shown_to});
  }
};

}  // namespace tideline::social_graph
