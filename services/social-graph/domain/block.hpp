// Whether one person has blocked another. While either has, nothing is made between them: that is
// asked of both streams, in the append that would make it (api/block_commands.hpp).
#pragma once

#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Commands
struct BlockPerson {
  core::AccountId by;
  core::AccountId other;
};
struct UnblockPerson {
  core::AccountId by;
  core::AccountId other;
};

struct Block {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<PersonBlocked, PersonUnblocked>;

  struct State {
    bool blocks = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<BlockPerson, UnblockPerson>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::social_graph
