// What happens once, such as the first sign-in of a day: a stream of at most one event, whose id
// says what it must not happen twice for.
//
//   record_once(session, keys::sign_in(account, today), SignedIn{account, today});
#pragma once

#include <utility>
#include <variant>

#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::eventsourcing {

template <class Fact>
struct Once {
  static constexpr std::uint32_t kEventsMax = 1;

  using Event = std::variant<Fact>;
  struct State {
    bool recorded = false;
  };
  static State evolve(State, const Event&) { return {.recorded = true}; }

  using Command = Fact;
  static Decision<Event> decide(const State& state, const Command& fact) {
    return state.recorded ? Decision<Event>::nothing() : Decision<Event>::of(fact);
  }
};

// Whether it is the first time. The fact has no personal text.
template <class Fact>
bool record_once(CommandSession& session, const core::StreamId& stream, const Fact& fact) {
  return !change<Once<Fact>>(session, stream, EventCodec<Once<Fact>>{}, fact).events.empty();
}

}  // namespace tideline::eventsourcing
