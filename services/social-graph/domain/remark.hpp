// The name by which a person calls a contact. Only its owner ever learns of it; it ends with the
// contact, and nobody else is called so.
#pragma once

#include <string>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Commands
struct SetRemark {
  core::AccountId owner;
  core::AccountId other;
  std::string remark;
  bool are_contacts = false;
};
struct RemoveRemark {
  core::AccountId owner;
  core::AccountId other;
};

// Each event says the whole state: read the last one.
struct Remark {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<ContactRemarked, ContactRemarkRemoved>;

  struct State {
    bool is_set = false;
    std::string remark{};  // "" where it was loaded without a key
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<SetRemark, RemoveRemark>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::social_graph
