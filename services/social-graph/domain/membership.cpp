#include "social-graph/domain/membership.hpp"

#include "social-graph/domain/rejections.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;
using MembershipPhase = Membership::Phase;

const Rejection kNotAMember{RejectionKind::NotFound, "not-a-member",
                            "you are not a member of this group"};
const Rejection kCreatorStays{RejectionKind::Conflict, "creator-cannot-leave",
                              "who created a group dissolves it instead of leaving it"};

const Rejection kCreatorIsNotRemoved{RejectionKind::Forbidden, "creator-cannot-be-removed",
                                     "nobody removes who created the group"};
const Rejection kNoSuchInvitation{RejectionKind::NotFound, "no-such-invitation",
                                  "you are not invited into a group of this id"};
const Rejection kRemoved{
    RejectionKind::Forbidden, "removed-from-group",
    "you were removed from this group; its creator or an admin can invite you"};
const Rejection kWasRemoved{
    RejectionKind::Forbidden, "member-was-removed",
    "this person was removed; only the creator or an admin may invite again"};
const Rejection kInvitationDeclined{RejectionKind::Conflict, "invitation-declined",
                                    "this person has declined an invitation; invite again later"};

Decision<Membership::Event> invite(const Membership::State& state, const InviteMember& command) {
  if (const auto refused = refuse_stranger(command.by)) return *refused;
  if (state.phase == MembershipPhase::Member || state.phase == MembershipPhase::Invited) {
    return Decision<Membership::Event>::nothing();
  }
  if (state.phase == MembershipPhase::Removed && !command.by.leads()) return kWasRemoved;
  if (state.declined_at && command.now < *state.declined_at + command.declined_for) {
    return kInvitationDeclined;
  }
  return Decision<Membership::Event>::of(
      GroupInvited{command.group_id, command.account_id, command.by.account});
}

Decision<Membership::Event> decline(const Membership::State& state,
                                    const DeclineInvitation& command) {
  if (state.phase == MembershipPhase::Declined) return Decision<Membership::Event>::nothing();
  if (state.phase != MembershipPhase::Invited) {
    const bool knows_it = !command.group_is_private || state.is_member();
    return knows_it ? kNoSuchInvitation : kNoSuchGroup;
  }
  return Decision<Membership::Event>::of(
      GroupInvitationDeclined{command.group_id, command.account_id, command.now});
}

Decision<Membership::Event> join(const Membership::State& state, const JoinGroup& command) {
  if (state.is_member()) return Decision<Membership::Event>::nothing();
  if (state.phase == MembershipPhase::Removed) {
    return command.group_is_private ? kNoSuchGroup : kRemoved;
  }
  const bool open = !command.group_is_private || command.is_creator;
  if (!open && state.phase != MembershipPhase::Invited) return kNoSuchGroup;
  return Decision<Membership::Event>::of(GroupJoined{command.group_id, command.account_id});
}

Decision<Membership::Event> leave(const Membership::State& state, const LeaveGroup& command) {
  if (command.is_creator) return kCreatorStays;
  switch (state.phase) {
    case MembershipPhase::Member:
      return Decision<Membership::Event>::of(GroupLeft{command.group_id, command.account_id});
    case MembershipPhase::Left:
      return Decision<Membership::Event>::nothing();
    case MembershipPhase::Stranger:
    case MembershipPhase::Invited:
    case MembershipPhase::Declined:
    case MembershipPhase::Removed:
      break;
  }
  return command.group_is_private ? kNoSuchGroup : kNotAMember;
}

Decision<Membership::Event> remove(const Membership::State& state, const RemoveMember& command) {
  if (const auto refused = refuse_stranger(command.by)) return *refused;
  if (!command.by.leads()) return kOnlyCreatorAndAdmins;
  if (command.is_creator) return kCreatorIsNotRemoved;
  if (state.phase == MembershipPhase::Removed) return Decision<Membership::Event>::nothing();
  if (state.phase == MembershipPhase::Stranger) return kNoSuchMember;
  if (state.is_member() && state.is_admin && !command.by.is_creator) return kOnlyTheCreator;
  return Decision<Membership::Event>::of(
      GroupMemberRemoved{command.group_id, command.account_id, command.by.account});
}

Decision<Membership::Event> change_admin(const Membership::State& state,
                                         const ChangeAdmin& command) {
  if (const auto refused = refuse_stranger(command.by)) return *refused;
  if (!command.by.is_creator) return kOnlyTheCreator;
  if (!state.is_member()) return kNoSuchMember;
  // Who created the group may do all that an admin may, and more.
  if (command.is_creator || state.is_admin == command.is_admin) {
    return Decision<Membership::Event>::nothing();
  }
  return Decision<Membership::Event>::of(
      GroupAdminChanged{command.group_id, command.account_id, command.is_admin});
}

}  // namespace

std::optional<Rejection> refuse_stranger(const GroupActor& by) {
  if (by.is_member) return std::nullopt;
  return by.group_is_private ? kNoSuchGroup : kMembersOnly;
}

Membership::State Membership::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const GroupInvited&) { state = {.phase = MembershipPhase::Invited}; },
                 [&](const GroupInvitationDeclined& declined) {
                   state = {.phase = MembershipPhase::Declined,
                            .declined_at = declined.declined_at};
                 },
                 [&](const GroupJoined&) { state = {.phase = MembershipPhase::Member}; },
                 [&](const GroupLeft&) { state = {.phase = MembershipPhase::Left}; },
                 [&](const GroupMemberRemoved&) { state = {.phase = MembershipPhase::Removed}; },
                 [&](const GroupAdminChanged& changed) { state.is_admin = changed.is_admin; },
             },
             event);
  return state;
}

Decision<Membership::Event> Membership::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const InviteMember& wanted) { return invite(state, wanted); },
                        [&](const DeclineInvitation& wanted) { return decline(state, wanted); },
                        [&](const JoinGroup& wanted) { return join(state, wanted); },
                        [&](const LeaveGroup& wanted) { return leave(state, wanted); },
                        [&](const RemoveMember& wanted) { return remove(state, wanted); },
                        [&](const ChangeAdmin& wanted) { return change_admin(state, wanted); },
                    },
                    command);
}

}  // namespace tideline::social_graph
