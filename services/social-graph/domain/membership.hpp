// One person in one group. A public group is entered freely, a private one by invitation of a
// member; who has left a private one needs another. Who was removed enters no group again without
// an invitation of its creator or an admin.
//
// What the commands say of the group and of who acts comes from their streams, which the append
// asserts.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Who acts on another's membership.
struct GroupActor {
  core::AccountId account;
  bool is_creator = false;
  bool is_admin = false;
  bool is_member = false;
  bool group_is_private = false;

  bool leads() const { return is_creator || is_admin; }
};
// nullopt: `by` is a member, and learns what there is to learn.
std::optional<eventsourcing::Rejection> refuse_stranger(const GroupActor& by);

// Commands
struct InviteMember {
  std::string group_id;
  core::AccountId account_id;
  GroupActor by;
  core::Timestamp now{};
  // An invitation that was declined can be made again after so long.
  core::Timestamp::duration declined_for{};
};
struct DeclineInvitation {
  std::string group_id;
  core::AccountId account_id;
  bool group_is_private = false;
  core::Timestamp now{};
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
// Also of who has left, or is invited: he is kept out.
struct RemoveMember {
  std::string group_id;
  core::AccountId account_id;
  bool is_creator = false;  // who is to be removed
  GroupActor by;
};
struct ChangeAdmin {
  std::string group_id;
  core::AccountId account_id;
  bool is_creator = false;  // of whom it is said
  bool is_admin = false;    // from now on
  GroupActor by;
};

struct Membership {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<GroupInvited, GroupInvitationDeclined, GroupJoined, GroupLeft,
                             GroupMemberRemoved, GroupAdminChanged>;

  enum class Phase { Stranger, Invited, Declined, Member, Left, Removed };

  struct State {
    Phase phase = Phase::Stranger;
    bool is_admin = false;
    std::optional<core::Timestamp> declined_at{};
    bool is_member() const { return phase == Phase::Member; }
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<InviteMember, DeclineInvitation, JoinGroup, LeaveGroup, RemoveMember,
                               ChangeAdmin>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::social_graph
