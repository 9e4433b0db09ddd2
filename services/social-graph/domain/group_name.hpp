// A name among the groups of one creator, known by the keyed hash of both: one group at a time has
// it. One stream for each. Groups that were made before names were claimed hold none.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Commands
struct ClaimGroupName {
  core::AccountId name_key;
  std::string group_id;
  eventsourcing::Rejection when_taken;
};
// Nothing, where another group has it.
struct ReleaseGroupName {
  core::AccountId name_key;
  std::string group_id;
};

// Each event says the whole state: read the last one.
struct GroupName {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<GroupNameClaimed, GroupNameReleased>;
  struct State {
    std::optional<std::string> group_id;  // nullopt: it is free
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<ClaimGroupName, ReleaseGroupName>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::social_graph
