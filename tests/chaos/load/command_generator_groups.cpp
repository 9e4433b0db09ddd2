// How people stand to a group: who leads it, who is removed, who does not want to be in it.
#include <algorithm>

#include "command_generator.hpp"

namespace tideline::chaos {
namespace {

constexpr const char* kService = "social-graph";

std::string path_of(const OwnGroup& group) { return "/v1/groups/" + group.id; }

bool is_in(const Member& member, const OwnGroup& group) {
  const auto held = member.memberships.find(group.id);
  return held != member.memberships.end() && is_in_group(held->second);
}

bool is_admin(const Member& member, const OwnGroup& group) {
  const auto held = member.memberships.find(group.id);
  return held != member.memberships.end() && held->second == GroupStanding::Admin;
}

}  // namespace

OwnGroup* CommandGenerator::any_group(MemberIndex creator) {
  std::vector<OwnGroup>& groups = member(creator).groups;
  return groups.empty() ? nullptr : &any_of(groups, random_);
}

MemberIndex CommandGenerator::own_member_of(const OwnGroup& group, MemberIndex actor) {
  MemberIndex other = own_other_than(actor);
  for (int tries = 0; tries < 8 && (other == actor || !is_in(member(other), group)); ++tries) {
    other = own_other_than(actor);
  }
  return other;
}

Command CommandGenerator::change_history(MemberIndex actor) {
  OwnGroup* group = any_group(actor);
  if (group == nullptr) return create_group(actor);
  const bool shows = one_in(2);
  demo::Call call = call_of("PUT", path_of(*group) + "/history",
                            {{"history", shows ? "from_start" : "from_joining"}});
  if (group->dissolved) return fails("group-history", kService, std::move(call), 404);
  Command command = does("group-history", kService, std::move(call), 204,
                         shows == group->shows_history ? "" : "GroupHistoryChanged");
  command.learn = [group, shows](const auto& reply) {
    if (acknowledged(reply)) group->shows_history = shows;
  };
  return command;
}

Command CommandGenerator::change_admin(MemberIndex actor) {
  const OwnGroup* group = any_group(actor);
  if (group == nullptr) return create_group(actor);
  const MemberIndex other = own_member_of(*group, actor);
  if (other == actor) return create_group(actor);
  const bool appoints = !one_in(3);
  demo::Call call =
      call_of(appoints ? "PUT" : "DELETE", path_of(*group) + "/admins/" + name(other));
  const char* kind = appoints ? "group-admin" : "group-admin-end";
  if (group->dissolved || !is_in(member(other), *group)) {
    return fails(kind, kService, std::move(call), 404);
  }
  Command command = does(kind, kService, std::move(call), 204,
                         is_admin(member(other), *group) == appoints ? "" : "GroupAdminChanged");
  command.learn = [this, other, id = group->id, appoints](const auto& reply) {
    if (!acknowledged(reply)) return;
    member(other).memberships[id] = appoints ? GroupStanding::Admin : GroupStanding::Member;
  };
  return command;
}

// Of who is no member others have a say in it: whether he is invited, or was.
Command CommandGenerator::remove_from_group(MemberIndex actor) {
  const OwnGroup* group = any_group(actor);
  if (group == nullptr) return create_group(actor);
  const MemberIndex other = own_member_of(*group, actor);
  if (other == actor) return create_group(actor);
  demo::Call call = call_of("DELETE", path_of(*group) + "/members/" + name(other));
  if (group->dissolved) return fails("group-remove", kService, std::move(call), 404);
  Command command =
      is_in(member(other), *group)
          ? does("group-remove", kService, std::move(call), 204,
                 "GroupMemberRemoved,MemberCountChanged")
          : does("group-remove", kService, std::move(call), 0, "(GroupMemberRemoved)?");
  command.learn = [this, other, id = group->id](const auto& reply) {
    if (acknowledged(reply)) member(other).memberships[id] = GroupStanding::Removed;
  };
  return command;
}

Command CommandGenerator::hand_over_group(MemberIndex actor) {
  const OwnGroup* group = any_group(actor);
  if (group == nullptr) return create_group(actor);
  const MemberIndex other = own_member_of(*group, actor);
  if (other == actor) return create_group(actor);
  demo::Call call = call_of("PUT", path_of(*group) + "/creator", {{"user_id", name(other)}});
  if (group->dissolved || !is_in(member(other), *group)) {
    return fails("group-hand-over", kService, std::move(call), 404);
  }
  Command command = does("group-hand-over", kService, std::move(call), 204,
                         std::string(is_admin(member(other), *group) ? "GroupAdminChanged," : "") +
                             "GroupCountChanged,GroupCountChanged,GroupHandedOver,GroupNameClaimed,"
                             "GroupNameReleased");
  command.learn = [this, actor, other, id = group->id](const auto& reply) {
    if (!acknowledged(reply)) return;
    std::vector<OwnGroup>& before = member(actor).groups;
    const auto handed =
        std::ranges::find_if(before, [&](const OwnGroup& one) { return one.id == id; });
    member(other).groups.push_back(*handed);
    before.erase(handed);
    for (const MemberIndex plain : {actor, other}) {
      member(plain).memberships[id] = GroupStanding::Member;
    }
    member(other).circles_position = reply.position;
  };
  return command;
}

// Whether he is invited, the creator's commands and his own decide.
Command CommandGenerator::decline_invitation(MemberIndex actor) {
  const MemberIndex creator = own_other_than(actor);
  const OwnGroup* group = any_group(creator);
  if (group == nullptr || creator == actor) return create_group(actor);
  Command command =
      does("group-decline", kService, call_of("DELETE", path_of(*group) + "/invitations/me"), 0,
           "(GroupInvitationDeclined)?");
  command.learn = [&declined = member(actor).declined_groups, id = group->id](const auto& reply) {
    if (acknowledged(reply)) declined.insert(id);
  };
  return command;
}

}  // namespace tideline::chaos
