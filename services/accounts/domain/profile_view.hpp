// That somebody looked at another's profile on a campus day: one stream for each viewer, owner and
// day, one event at most. Looking at one's own profile is none.
#pragma once

#include <variant>

#include "accounts/events.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/commands/decider.hpp"

namespace tideline::accounts {

// Commands
struct RecordProfileView {
  core::AccountId viewer;
  core::AccountId owner;
  core::Day day;
};

struct ProfileView {
  using Event = std::variant<ProfileViewed>;

  struct State {
    bool recorded = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<RecordProfileView>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::accounts
