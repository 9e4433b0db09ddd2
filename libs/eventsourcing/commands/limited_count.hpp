// A count that a limit depends on: a stream of its own, written in the same append as what is
// counted and by nothing else, so it is not idempotent by itself. Every event carries the whole
// state: the last one is enough to decide (docs/adr/0009-count-streams-carry-their-state.md).
#pragma once

#include <cstdint>
#include <variant>

#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"

namespace tideline::eventsourcing {

// `Changed` is the event {key, count}: whose count it is, and how many there are now.
template <class Changed, class Key>
struct LimitedCount {
  static constexpr auto kCompaction = latest_of_each_type();

  using Event = std::variant<Changed>;

  struct State {
    std::int64_t count = 0;
  };
  static State evolve(State state, const Event& event) {
    state.count = std::get<Changed>(event).count;
    return state;
  }

  struct Add {
    Key key;
    std::int64_t limit = 0;
    Rejection when_full;
  };
  struct Remove {
    Key key;
  };
  using Command = std::variant<Add, Remove>;

  static Decision<Event> decide(const State& state, const Command& command) {
    if (const auto* add = std::get_if<Add>(&command)) {
      // At or above: a limit that was lowered takes nothing away but lets nothing in.
      if (state.count >= add->limit) return add->when_full;
      return Decision<Event>::of(Changed{add->key, state.count + 1});
    }
    // What was there before it was counted may go.
    if (state.count == 0) return Decision<Event>::nothing();
    return Decision<Event>::of(Changed{std::get<Remove>(command).key, state.count - 1});
  }
};

}  // namespace tideline::eventsourcing
