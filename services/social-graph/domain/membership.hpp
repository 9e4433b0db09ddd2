// One person in one group. A public group is entered freely, a private one by invitation of a
// member; who has left a private one needs another.
//
// What the commands say of the group comes from its stream, which the append asserts.
#pragma once

#include <string>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Commands
struct InviteMember {
  std::string group_id;
  core::AccountId account_id;
  core::AccountId by;
  bool by_is_member = false;
  bool group_is_private = false;
};
struct JoinGroup {
  std::string group_id;
  core::AccountId account_id;
  bool is_creator = false;
  bool group_is_private = false;
};
struct LeaveGroup {
  std::string group_id;
  core::AccountId account_id;
  bool is_creator = false;
  bool group_is_private = false;
};

struct Membership {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<GroupInvited, GroupJoined, GroupLeft>;

  enum class Phase { Stranger, Invited, Member, Left };

  struct State {
    Phase phase = Phase::Stranger;
    bool is_member() const { return phase == Phase::Member; }
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<InviteMember, JoinGroup, LeaveGroup>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::social_graph
