#include "social-graph/domain/membership.hpp"

#include "social-graph/domain/rejections.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;
using MembershipPhase = Membership::Phase;

const Rejection kMembersOnly{RejectionKind::Forbidden, "members-only",
                             "only members of the group may do this"};
const Rejection kNotAMember{RejectionKind::NotFound, "not-a-member",
                            "you are not a member of this group"};
const Rejection kCreatorStays{RejectionKind::Conflict, "creator-cannot-leave",
                              "who created a group dissolves it instead of leaving it"};

Decision<Membership::Event> invite(const Membership::State& state, const InviteMember& command) {
  if (!command.by_is_member) return command.group_is_private ? kNoSuchGroup : kMembersOnly;
  if (state.phase == MembershipPhase::Member || state.phase == MembershipPhase::Invited) {
    return Decision<Membership::Event>::nothing();
  }
  return Decision<Membership::Event>::of(
      GroupInvited{command.group_id, command.account_id, command.by});
}

Decision<Membership::Event> join(const Membership::State& state, const JoinGroup& command) {
  if (state.is_member()) return Decision<Membership::Event>::nothing();
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
      break;
  }
  return command.group_is_private ? kNoSuchGroup : kNotAMember;
}

}  // namespace

Membership::State Membership::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const GroupInvited&) { state.phase = MembershipPhase::Invited; },
                 [&](const GroupJoined&) { state.phase = MembershipPhase::Member; },
                 [&](const GroupLeft&) { state.phase = MembershipPhase::Left; },
             },
             event);
  return state;
}

Decision<Membership::Event> Membership::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const InviteMember& wanted) { return invite(state, wanted); },
                        [&](const JoinGroup& wanted) { return join(state, wanted); },
                        [&](const LeaveGroup& wanted) { return leave(state, wanted); },
                    },
                    command);
}

}  // namespace tideline::social_graph
