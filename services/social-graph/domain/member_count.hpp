// How many members a group has: what makes its limit exact.
//
// Written in the same append as the GroupJoined or GroupLeft of a member, and by nothing else; so
// it is not idempotent by itself. Every event carries the whole state: the last one is enough to
// decide.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Commands
struct CountMember {
  std::string group_id;
  std::int64_t limit = 0;
};
struct UncountMember {
  std::string group_id;
};

struct MemberCount {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<MemberCountChanged>;

  struct State {
    std::int64_t count = 0;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<CountMember, UncountMember>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::social_graph
