#include "social-graph/api/group_commands.hpp"

#include <algorithm>
#include <optional>

#include "eventsourcing/events/event_codec.hpp"
#include "social-graph/api/block_commands.hpp"
#include "social-graph/domain/counts.hpp"
#include "social-graph/domain/group_name.hpp"
#include "social-graph/domain/rejections.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/stream_keys.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using eventsourcing::change;
using eventsourcing::change_last;
using eventsourcing::Changed;
using eventsourcing::CommandSession;
using eventsourcing::EventCodec;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

const Rejection kNameTaken{RejectionKind::Conflict, "group-name-taken",
                           "you have another group of this name"};
// One answer for whatever keeps the other from having it: which names his groups have, and how many
// there are, is his alone.
const Rejection kCannotTakeGroup{RejectionKind::Conflict, "cannot-take-group",
                                 "this person cannot take the group over"};
const Rejection kNameGone{RejectionKind::Conflict, "account-closed", "this account is closed"};

// As it is, since no key is at hand: the name stays "".
eventsourcing::Loaded<Group> load_without_name(CommandSession& session,
                                               const std::string& group_id) {
  return session.load<Group>(keys::group(group_id), EventCodec<Group>{});
}

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

Changed<Group> GroupCommands::create(CommandSession& session, CreateGroup command) const {
  command.name_key = name_key(command.creator, command.name);
  auto group =
      change<Group>(session, keys::group(command.group_id), EventCodec<Group>(cipher_), command);
  claim_name(session, command.group_id, command.name_key, kNameTaken);
  change_last<GroupCount>(session, keys::group_count(command.creator), EventCodec<GroupCount>{},
                          GroupCount::Add{command.creator, kGroupsMax, kGroupLimit});
  change_counted(session, command.group_id, command.creator, command.is_private,
                 JoinGroup{command.group_id, command.creator, true, command.is_private});
  return group;
}

Changed<Group> GroupCommands::rename(CommandSession& session, const std::string& group_id,
                                     const std::string& name, const AccountId& by) const {
  const EventCodec<Group> codec(cipher_);
  const auto loaded = session.load<Group>(keys::group(group_id), codec);
  const auto key = name_key(by, name);
  auto group =
      change<Group>(session, loaded, codec,
                    RenameGroup{group_id, actor(session, group_id, loaded.state, by), name, key});
  if (!group.events.empty() && loaded.state.name_key != key) {
    claim_name(session, group_id, key, kNameTaken);
    release_name(session, group_id, loaded.state.name_key);
  }
  return group;
}

Changed<Group> GroupCommands::change_history(CommandSession& session, const std::string& group_id,
                                             GroupHistory history, const AccountId& by) const {
  const auto loaded = load_without_name(session, group_id);
  return change<Group>(
      session, loaded, EventCodec<Group>(cipher_),
      ChangeGroupHistory{group_id, actor(session, group_id, loaded.state, by), history});
}

Changed<Group> GroupCommands::hand_over(CommandSession& session, const std::string& group_id,
                                        const AccountId& to, const AccountId& by) const {
  const EventCodec<Group> codec(cipher_);
  const auto loaded = session.load<Group>(keys::group(group_id), codec);
  const auto member =
      session.load<Membership>(keys::member(group_id, to), EventCodec<Membership>{});
  const auto key = name_key(to, loaded.state.name);
  auto group = change<Group>(session, loaded, codec,
                             HandOverGroup{group_id, actor(session, group_id, loaded.state, by), to,
                                           member.state.is_member(), key});
  if (group.events.empty()) return group;
  if (loaded.state.name.empty()) throw eventsourcing::Rejected(kNameGone);
  if (member.state.is_admin) {
    session.stage(member, {GroupAdminChanged{group_id, to, false}}, EventCodec<Membership>{});
  } else {
    session.assert_unchanged(member);
  }
  claim_name(session, group_id, key, kCannotTakeGroup);
  release_name(session, group_id, loaded.state.name_key);
  change_last<GroupCount>(session, keys::group_count(to), EventCodec<GroupCount>{},
                          GroupCount::Add{to, kGroupsMax, kCannotTakeGroup});
  change_last<GroupCount>(session, keys::group_count(by), EventCodec<GroupCount>{},
                          GroupCount::Remove{by});
  return group;
}

Changed<Group> GroupCommands::dissolve(CommandSession& session, const std::string& group_id,
                                       const AccountId& by) const {
  const auto member =
      session.load<Membership>(keys::member(group_id, by), EventCodec<Membership>{});
  auto group =
      change<Group>(session, load_without_name(session, group_id), EventCodec<Group>(cipher_),
                    DissolveGroup{group_id, by, member.state.is_member()});
  if (!group.events.empty()) {
    release_name(session, group_id, group.state.name_key);
    change_last<GroupCount>(session, keys::group_count(by), EventCodec<GroupCount>{},
                            GroupCount::Remove{by});
  }
  return group;
}

Changed<Membership> GroupCommands::invite(CommandSession& session, const std::string& group_id,
                                          const AccountId& account, const AccountId& by) const {
  const auto inviter = actor(session, group_id, usable_group(session, group_id), by);
  refuse_blocked(session, by, account);
  return change<Membership>(
      session, keys::member(group_id, account), EventCodec<Membership>{},
      InviteMember{group_id, account, inviter, session.context().now, limits_.declined_for});
}

Changed<Membership> GroupCommands::decline(CommandSession& session, const std::string& group_id,
                                           const AccountId& account) const {
  const auto group = usable_group(session, group_id);
  return change<Membership>(
      session, keys::member(group_id, account), EventCodec<Membership>{},
      DeclineInvitation{group_id, account, group.is_private, session.context().now});
}

Changed<Membership> GroupCommands::join(CommandSession& session, const std::string& group_id,
                                        const AccountId& account) const {
  const auto group = usable_group(session, group_id);
  return change_counted(session, group_id, account, group.is_private,
                        JoinGroup{group_id, account, group.creator == account, group.is_private});
}

Changed<Membership> GroupCommands::leave(CommandSession& session, const std::string& group_id,
                                         const AccountId& account) const {
  const auto group = usable_group(session, group_id);
  return change_counted(session, group_id, account, group.is_private,
                        LeaveGroup{group_id, account, group.creator == account, group.is_private});
}

Changed<Membership> GroupCommands::remove(CommandSession& session, const std::string& group_id,
                                          const AccountId& account, const AccountId& by) const {
  const auto group = usable_group(session, group_id);
  return change_counted(session, group_id, account, group.is_private,
                        RemoveMember{group_id, account, group.creator == account,
                                     actor(session, group_id, group, by)});
}

Changed<Membership> GroupCommands::change_admin(CommandSession& session,
                                                const std::string& group_id,
                                                const AccountId& account, bool is_admin,
                                                const AccountId& by) const {
  const auto group = usable_group(session, group_id);
  return change<Membership>(session, keys::member(group_id, account), EventCodec<Membership>{},
                            ChangeAdmin{group_id, account, group.creator == account, is_admin,
                                        actor(session, group_id, group, by)});
}

eventsourcing::CommandResult GroupCommands::end_membership(CommandSession& session,
                                                           const std::string& group_id,
                                                           const AccountId& account) const {
  const auto group = load_without_name(session, group_id);
  if (group.state.creator == account) {
    dissolve(session, group_id, account);
    return eventsourcing::Answer{};
  }
  leave(session, group_id, account);
  return eventsourcing::Answer{};
}

// Of names that differ in the case of Latin letters one is taken by the other.
AccountId GroupCommands::name_key(const AccountId& creator, const std::string& name) const {
  std::string folded = name;
  std::ranges::transform(folded, folded.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  // The creator first: equal names of two creators have keys that tell nothing of each other.
  const auto key = AccountId::parse(cipher_.index(creator.to_string() + folded, "GroupName"));
  CHECK(key.has_value(), "an index is a keyed hash as ids are");
  return *key;
}

void GroupCommands::claim_name(CommandSession& session, const std::string& group_id,
                               const AccountId& name_key, const Rejection& when_taken) const {
  change_last<GroupName>(session, keys::group_name(name_key), EventCodec<GroupName>{},
                         ClaimGroupName{name_key, group_id, when_taken});
}

void GroupCommands::release_name(CommandSession& session, const std::string& group_id,
                                 const std::optional<AccountId>& name_key) const {
  if (!name_key) return;
  change_last<GroupName>(session, keys::group_name(*name_key), EventCodec<GroupName>{},
                         ReleaseGroupName{*name_key, group_id});
}

// Asserted, so that anyone who enters, leaves or invites does so in a group that is still there.
Group::State GroupCommands::usable_group(CommandSession& session,
                                         const std::string& group_id) const {
  const auto group = load_without_name(session, group_id);
  if (auto refused = Group::refuse_use(group.state)) throw eventsourcing::Rejected(*refused);
  session.assert_unchanged(group);
  return group.state;
}

GroupActor GroupCommands::actor(CommandSession& session, const std::string& group_id,
                                const Group::State& group, const AccountId& account) {
  const auto member =
      session.load<Membership>(keys::member(group_id, account), EventCodec<Membership>{});
  session.assert_unchanged(member);
  return {account, group.creator == account, member.state.is_admin, member.state.is_member(),
          group.is_private};
}

Changed<Membership> GroupCommands::change_counted(CommandSession& session,
                                                  const std::string& group_id,
                                                  const AccountId& account, bool group_is_private,
                                                  const Membership::Command& command) const {
  const auto before =
      session.load<Membership>(keys::member(group_id, account), EventCodec<Membership>{});
  auto member = change<Membership>(session, before, EventCodec<Membership>{}, command);
  const auto limit = group_is_private ? limits_.private_members : limits_.public_members;
  for (const Membership::Event& event : member.events) {
    const auto counting = count_command(before.state, event, limit);
    if (!counting) continue;
    change_last<MemberCount>(session, keys::member_count(group_id), EventCodec<MemberCount>{},
                             *counting);
  }
  return member;
}

}  // namespace tideline::social_graph
