#include "social-graph/api/group_commands.hpp"

#include <optional>

#include "eventsourcing/events/event_codec.hpp"
#include "social-graph/api/block_commands.hpp"
#include "social-graph/domain/counts.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/stream_keys.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using eventsourcing::change;
using eventsourcing::change_last;
using eventsourcing::Changed;
using eventsourcing::CommandSession;

// What an event of a membership means for the count; nullopt: nothing. `before` it.
std::optional<MemberCount::Command> count_command(const Membership::State& before,
                                                  const Membership::Event& event,
                                                  std::int64_t limit) {
  using Command = std::optional<MemberCount::Command>;
  return std::visit(
      eventsourcing::Overloaded{
          [](const GroupInvited&) -> Command { return std::nullopt; },
          [](const GroupInvitationDeclined&) -> Command { return std::nullopt; },
          [](const GroupAdminChanged&) -> Command { return std::nullopt; },
          [&](const GroupJoined& joined) -> Command {
            return MemberCount::Add{joined.group_id, limit, kGroupFull};
          },
          [](const GroupLeft& left) -> Command { return MemberCount::Remove{left.group_id}; },
          [&](const GroupMemberRemoved& removed) -> Command {
            if (!before.is_member()) return std::nullopt;
            return MemberCount::Remove{removed.group_id};
          },
      },
      event);
}

}  // namespace

Changed<Group> GroupCommands::create(CommandSession& session, const CreateGroup& command) const {
  auto group = change<Group>(session, keys::group(command.group_id),
                             eventsourcing::EventCodec<Group>(cipher_), command);
  change_last<GroupCount>(session, keys::group_count(command.creator),
                          eventsourcing::EventCodec<GroupCount>{},
                          GroupCount::Add{command.creator, kGroupsMax, kGroupLimit});
  change_counted(session, command.group_id, command.creator,
                 JoinGroup{command.group_id, command.creator, true, command.is_private});
  return group;
}

Changed<Group> GroupCommands::dissolve(CommandSession& session, const std::string& group_id,
                                       const AccountId& by) const {
  const auto member =
      session.load<Membership>(keys::member(group_id, by), eventsourcing::EventCodec<Membership>{});
  auto group =
      change<Group>(session, keys::group(group_id), eventsourcing::EventCodec<Group>(cipher_),
                    DissolveGroup{group_id, by, member.state.is_member()});
  if (!group.events.empty()) {
    change_last<GroupCount>(session, keys::group_count(by), eventsourcing::EventCodec<GroupCount>{},
                            GroupCount::Remove{by});
  }
  return group;
}

Changed<Membership> GroupCommands::invite(CommandSession& session, const std::string& group_id,
                                          const AccountId& account, const AccountId& by) const {
  const auto inviter = actor(session, group_id, usable_group(session, group_id), by);
  refuse_blocked(session, by, account);
  return change<Membership>(
      session, keys::member(group_id, account), eventsourcing::EventCodec<Membership>{},
      InviteMember{group_id, account, inviter, session.context().now, declined_for_});
}

Changed<Membership> GroupCommands::decline(CommandSession& session, const std::string& group_id,
                                           const AccountId& account) const {
  const auto group = usable_group(session, group_id);
  return change<Membership>(
      session, keys::member(group_id, account), eventsourcing::EventCodec<Membership>{},
      DeclineInvitation{group_id, account, group.is_private, session.context().now});
}

Changed<Membership> GroupCommands::join(CommandSession& session, const std::string& group_id,
                                        const AccountId& account) const {
  const auto group = usable_group(session, group_id);
  return change_counted(session, group_id, account,
                        JoinGroup{group_id, account, group.creator == account, group.is_private});
}

Changed<Membership> GroupCommands::leave(CommandSession& session, const std::string& group_id,
                                         const AccountId& account) const {
  const auto group = usable_group(session, group_id);
  return change_counted(session, group_id, account,
                        LeaveGroup{group_id, account, group.creator == account, group.is_private});
}

Changed<Membership> GroupCommands::remove(CommandSession& session, const std::string& group_id,
                                          const AccountId& account, const AccountId& by) const {
  const auto group = usable_group(session, group_id);
  return change_counted(session, group_id, account,
                        RemoveMember{group_id, account, group.creator == account,
                                     actor(session, group_id, group, by)});
}

Changed<Membership> GroupCommands::change_admin(CommandSession& session,
                                                const std::string& group_id,
                                                const AccountId& account, bool is_admin,
                                                const AccountId& by) const {
  const auto group = usable_group(session, group_id);
  return change<Membership>(session, keys::member(group_id, account),
                            eventsourcing::EventCodec<Membership>{},
                            ChangeAdmin{group_id, account, group.creator == account, is_admin,
                                        actor(session, group_id, group, by)});
}

eventsourcing::CommandResult GroupCommands::end_membership(CommandSession& session,
                                                           const std::string& group_id,
                                                           const AccountId& account) const {
  const auto group =
      session.load<Group>(keys::group(group_id), eventsourcing::EventCodec<Group>(cipher_));
  if (group.state.creator == account) {
    dissolve(session, group_id, account);
    return eventsourcing::Answer{};
  }
  leave(session, group_id, account);
  return eventsourcing::Answer{};
}

// Asserted, so that anyone who enters, leaves or invites does so in a group that is still there.
Group::State GroupCommands::usable_group(CommandSession& session,
                                         const std::string& group_id) const {
  const auto group =
      session.load<Group>(keys::group(group_id), eventsourcing::EventCodec<Group>(cipher_));
  if (auto refused = Group::refuse_use(group.state)) throw eventsourcing::Rejected(*refused);
  session.assert_unchanged(group);
  return group.state;
}

GroupActor GroupCommands::actor(CommandSession& session, const std::string& group_id,
                                const Group::State& group, const AccountId& account) {
  const auto member = session.load<Membership>(keys::member(group_id, account),
                                               eventsourcing::EventCodec<Membership>{});
  session.assert_unchanged(member);
  return {account, group.creator == account, member.state.is_admin, member.state.is_member(),
          group.is_private};
}

Changed<Membership> GroupCommands::change_counted(CommandSession& session,
                                                  const std::string& group_id,
                                                  const AccountId& account,
                                                  const Membership::Command& command) const {
  const auto before = session.load<Membership>(keys::member(group_id, account),
                                               eventsourcing::EventCodec<Membership>{});
  auto member =
      change<Membership>(session, before, eventsourcing::EventCodec<Membership>{}, command);
  for (const Membership::Event& event : member.events) {
    const auto counting = count_command(before.state, event, member_limit_);
    if (!counting) continue;
    change_last<MemberCount>(session, keys::member_count(group_id),
                             eventsourcing::EventCodec<MemberCount>{}, *counting);
  }
  return member;
}

}  // namespace tideline::social_graph
