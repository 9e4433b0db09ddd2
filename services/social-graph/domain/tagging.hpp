// One tag on one person. Whom a tag is put on must be a contact at that moment; the tag then stays
// on him whatever becomes of the contact, until it is taken off or the tag is deleted.
#pragma once

#include <string>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Commands
struct TagContact {
  core::AccountId owner;
  std::string tag_id;
  core::AccountId account_id;
  bool is_contact = false;  // as the pair's stream says, which the append asserts
};
struct UntagContact {
  core::AccountId owner;
  std::string tag_id;
  core::AccountId account_id;
};

struct Tagging {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<ContactTagged, ContactUntagged>;

  struct State {
    bool tagged = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<TagContact, UntagContact>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::social_graph
