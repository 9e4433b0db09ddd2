#include "social-graph/api/group_commands.hpp"

#include <optional>

#include "eventsourcing/events/event_codec.hpp"
#include "social-graph/domain/member_count.hpp"
#include "social-graph/domain/stream_keys.hpp"
#include "social-graph/stored_events.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using eventsourcing::change;
using eventsourcing::change_last;
using eventsourcing::Changed;
using eventsourcing::CommandSession;
using eventsourcing::Step;

// What an event of a membership means for the count; nullopt: nothing.
std::optional<MemberCount::Command> count_command(const Membership::Event& event,
                                                  std::int64_t limit) {
  using Command = std::optional<MemberCount::Command>;
  return std::visit(
      eventsourcing::Overloaded{
          [](const GroupInvited&) -> Command { return std::nullopt; },
          [&](const GroupJoined& joined) -> Command {
            return CountMember{joined.group_id, limit};
          },
          [](const GroupLeft& left) -> Command { return UncountMember{left.group_id}; },
      },
      event);
}

}  // namespace

Step<Changed<Group>> GroupCommands::create(CommandSession& session,
                                           const CreateGroup& command) const {
  auto group = change<Group>(session, keys::group(command.group_id),
                             eventsourcing::EventCodec<Group>(cipher_), command);
  if (!group) return group;
  const auto member =
      change_counted(session, command.group_id, command.creator,
                     JoinGroup{command.group_id, command.creator, true, command.is_private});
  if (!member) return member.stopped_as<Changed<Group>>();
  return group;
}

Step<Changed<Group>> GroupCommands::dissolve(CommandSession& session, const std::string& group_id,
                                             const AccountId& by) const {
  const auto member =
      session.load<Membership>(keys::member(group_id, by), eventsourcing::EventCodec<Membership>{});
  if (!member) return member.error();
  return change<Group>(session, keys::group(group_id), eventsourcing::EventCodec<Group>(cipher_),
                       DissolveGroup{group_id, by, member->state.is_member()});
}

Step<Changed<Membership>> GroupCommands::invite(CommandSession& session,
                                                const std::string& group_id,
                                                const AccountId& account,
                                                const AccountId& by) const {
  const auto group = usable_group(session, group_id);
  if (!group) return group.stopped_as<Changed<Membership>>();
  const auto inviter =
      session.load<Membership>(keys::member(group_id, by), eventsourcing::EventCodec<Membership>{});
  if (!inviter) return inviter.error();
  session.assert_unchanged(*inviter);
  return change<Membership>(
      session, keys::member(group_id, account), eventsourcing::EventCodec<Membership>{},
      InviteMember{group_id, account, by, inviter->state.is_member(), group->is_private});
}

Step<Changed<Membership>> GroupCommands::join(CommandSession& session, const std::string& group_id,
                                              const AccountId& account) const {
  const auto group = usable_group(session, group_id);
  if (!group) return group.stopped_as<Changed<Membership>>();
  return change_counted(session, group_id, account,
                        JoinGroup{group_id, account, group->creator == account, group->is_private});
}

Step<Changed<Membership>> GroupCommands::leave(CommandSession& session, const std::string& group_id,
                                               const AccountId& account) const {
  const auto group = usable_group(session, group_id);
  if (!group) return group.stopped_as<Changed<Membership>>();
  return change_counted(
      session, group_id, account,
      LeaveGroup{group_id, account, group->creator == account, group->is_private});
}

eventsourcing::CommandResult GroupCommands::end_membership(CommandSession& session,
                                                           const std::string& group_id,
                                                           const AccountId& account) const {
  const auto group =
      session.load<Group>(keys::group(group_id), eventsourcing::EventCodec<Group>(cipher_));
  if (!group) return group.error();
  if (group->state.creator == account) {
    const auto dissolved = dissolve(session, group_id, account);
    if (!dissolved) return dissolved.stopped();
    return eventsourcing::Answer{};
  }
  const auto left = leave(session, group_id, account);
  if (!left) return left.stopped();
  return eventsourcing::Answer{};
}

// Asserted, so that anyone who enters, leaves or invites does so in a group that is still there.
Step<Group::State> GroupCommands::usable_group(CommandSession& session,
                                               const std::string& group_id) const {
  const auto group =
      session.load<Group>(keys::group(group_id), eventsourcing::EventCodec<Group>(cipher_));
  if (!group) return group.error();
  if (auto refused = Group::refuse_use(group->state)) return *refused;
  session.assert_unchanged(*group);
  return group->state;
}

Step<Changed<Membership>> GroupCommands::change_counted(CommandSession& session,
                                                        const std::string& group_id,
                                                        const AccountId& account,
                                                        const Membership::Command& command) const {
  auto member = change<Membership>(session, keys::member(group_id, account),
                                   eventsourcing::EventCodec<Membership>{}, command);
  if (!member) return member;
  for (const Membership::Event& event : member->events) {
    const auto counting = count_command(event, member_limit_);
    if (!counting) continue;
    const auto counted = change_last<MemberCount>(
        session, keys::member_count(group_id), eventsourcing::EventCodec<MemberCount>{}, *counting);
    if (!counted) return counted.stopped_as<Changed<Membership>>();
  }
  return member;
}

}  // namespace tideline::social_graph
