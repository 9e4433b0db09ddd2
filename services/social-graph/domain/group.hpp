// A group: its name, whether it is private, and who made it. Who belongs to it lies on streams of
// its own (Membership), which assert this one, so that nobody enters a group that is dissolved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Commands
struct CreateGroup {
  std::string group_id;
  core::AccountId creator;
  std::string name;
  bool is_private = false;
};
struct DissolveGroup {
  std::string group_id;
  core::AccountId by;
  bool by_is_member = false;  // a stranger does not learn that a private group exists
};

struct Group {
  static constexpr bool kReadsText = false;
  static constexpr std::uint32_t kEventsMax = 2;  // created, then dissolved

  using Event = std::variant<GroupCreated, GroupDissolved>;

  struct State {
    std::optional<core::AccountId> creator;  // nullopt: never created
    bool is_private = false;
    bool dissolved = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<CreateGroup, DissolveGroup>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);

  // Why nobody may enter, leave or invite; nullopt: the group is there.
  static std::optional<eventsourcing::Rejection> refuse_use(const State& state);
};

}  // namespace tideline::social_graph
