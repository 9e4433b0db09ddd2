// That somebody signed in on a campus day: one stream for each account and day, one event at most.
#pragma once

#include <variant>

#include "accounts/events.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/commands/decider.hpp"

namespace tideline::accounts {

// Commands
struct RecordSignIn {
  core::AccountId account;
  core::Day day;
};

struct SignIn {
  using Event = std::variant<SignedIn>;

  struct State {
    bool recorded = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<RecordSignIn>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::accounts
