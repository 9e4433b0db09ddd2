// How many contacts a person has: what makes the limit exact for both sides.
//
// Written in the same append as the ContactAccepted or ContactRemoved of the pair, and by nothing
// else; so it is not idempotent by itself. Every event carries the whole state: the last one is
// enough to decide.
#pragma once

#include <cstdint>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Commands
enum class Whose { Own, Theirs };  // whose limit it is, seen from who acts: they are told apart

struct CountContact {
  core::AccountId account_id;
  std::int64_t limit = 0;
  Whose whose = Whose::Own;
};
struct UncountContact {
  core::AccountId account_id;
};

struct ContactCount {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<ContactCountChanged>;

  struct State {
    std::int64_t count = 0;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<CountContact, UncountContact>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::social_graph
