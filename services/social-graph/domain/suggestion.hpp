// What one person has made of another as a suggested contact. Suggestions themselves are answers of
// a query and no events.
#pragma once

#include <cstdint>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Commands
struct DismissSuggestion {
  core::AccountId owner;
  core::AccountId other;
};

struct Suggestion {
  static constexpr std::uint32_t kEventsMax = 1;

  using Event = std::variant<ContactSuggestionDismissed>;

  struct State {
    bool dismissed = false;
  };
  static State evolve(State state, const Event&) {
    state.dismissed = true;
    return state;
  }

  using Command = std::variant<DismissSuggestion>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command) {
    const auto& wanted = std::get<DismissSuggestion>(command);
    if (state.dismissed) return eventsourcing::Decision<Event>::nothing();
    return eventsourcing::Decision<Event>::of(
        ContactSuggestionDismissed{wanted.owner, wanted.other});
  }
};

}  // namespace tideline::social_graph
