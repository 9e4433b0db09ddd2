// What one person has set about the moments of and for another, contact or not. Only the owner ever
// learns of it. Every event carries the whole state: the last one is enough to decide.
#pragma once

#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Commands
struct ChangeMomentSetting {
  core::AccountId owner;
  core::AccountId other;
  bool hides_other = false;
  bool hidden_from_other = false;
};

struct MomentSetting {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<MomentSettingChanged>;

  struct State {
    bool hides_other = false;
    bool hidden_from_other = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<ChangeMomentSetting>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::social_graph
