// Tags and groups.
#include "command_generator.hpp"

namespace tideline::chaos {
namespace {

constexpr const char* kService = "social-graph";
constexpr std::size_t kTagsMax = 20;
constexpr std::size_t kGroupsMax = 10;

}  // namespace

Command CommandGenerator::create_tag(MemberIndex actor) {
  Member& creator = member(actor);
  if (creator.tags.size() >= kTagsMax) return tag_contact(actor);
  Command command =
      does("tag-create", kService, call_of("POST", "/v1/tags", {{"name", text("Tag")}}), 201,
           "TagCountChanged,TagCreated");
  command.call.position = creator.circles_position;
  command.learn = [&creator](const demo::Reply& reply) {
    if (!acknowledged(reply)) return;
    creator.tags.push_back({reply.json().at("id").get<std::string>(), false, {}});
    creator.circles_position = reply.position;
  };
  return command;
}

Command CommandGenerator::delete_tag(MemberIndex actor) {
  std::vector<OwnTag>& tags = member(actor).tags;
  if (tags.empty()) return create_tag(actor);
  OwnTag& tag = any_of(tags, random_);
  Command command = does("tag-delete", kService, call_of("DELETE", "/v1/tags/" + tag.id), 204,
                         tag.deleted ? "" : "TagCountChanged,TagDeleted");
  command.learn = [&tag](const auto& reply) {
    if (acknowledged(reply)) tag.deleted = true;
  };
  return command;
}

// Whether the other is a contact, others have a say in.
Command CommandGenerator::tag_contact(MemberIndex actor) {
  std::vector<OwnTag>& tags = member(actor).tags;
  if (tags.empty()) return create_tag(actor);
  OwnTag& tag = any_of(tags, random_);
  const bool remove = !tag.people.empty() && one_in(3);
  const MemberIndex other = remove ? *tag.people.begin() : other_than(actor);
  demo::Call call =
      call_of(remove ? "DELETE" : "PUT", "/v1/tags/" + tag.id + "/contacts/" + name(other));
  const char* kind = remove ? "untag" : "tag";
  if (tag.deleted) return fails(kind, kService, std::move(call), 404);
  const bool tagged = tag.people.contains(other);
  Command command =
      remove
          ? does(kind, kService, std::move(call), 204, tagged ? "ContactUntagged" : "")
          : does(kind, kService, std::move(call), tagged ? 200 : 0, tagged ? "" : "ContactTagged");
  command.learn = [&tag, other, remove](const auto& reply) {
    if (!acknowledged(reply)) return;
    if (remove) {
      tag.people.erase(other);
    } else {
      tag.people.insert(other);
    }
  };
  return command;
}

Command CommandGenerator::create_group(MemberIndex actor) {
  Member& creator = member(actor);
  if (creator.groups.size() >= kGroupsMax) return invite(actor);
  const bool is_private = one_in(3);
  Command command =
      does("group-create", kService,
           call_of("POST", "/v1/groups", {{"name", text("Group")}, {"private", is_private}}), 201,
           "GroupCountChanged,GroupCreated,GroupJoined,GroupNameClaimed,MemberCountChanged");
  command.call.position = creator.circles_position;
  command.learn = [this, &creator, is_private](const demo::Reply& reply) {
    if (!acknowledged(reply)) return;
    const auto id = reply.json().at("id").get<std::string>();
    creator.groups.push_back({id, is_private, false});
    creator.memberships[id] = GroupStanding::Member;
    creator.circles_position = reply.position;
    campus_.groups.put_up(id);
  };
  return command;
}

// Others dissolve groups, and invite into private ones.
Command CommandGenerator::join_group(MemberIndex actor) {
  auto id = campus_.groups.draw(random_);
  if (!id) return create_group(actor);
  // Rather one of this worker's, whose creator then knows of it.
  const OwnGroup* near = any_group(own_other_than(actor));
  if (near != nullptr && one_in(2)) id = near->id;
  Member& joiner = member(actor);
  const auto held = joiner.memberships.find(*id);
  const bool is_member = held != joiner.memberships.end() && is_in_group(held->second);
  Command command = does("group-join", kService, call_of("POST", "/v1/groups/" + *id + "/members"),
                         0, is_member ? "" : "GroupJoined,MemberCountChanged");
  command.call.position = joiner.circles_position;
  command.learn = [&joiner, id, is_member](const auto& reply) {
    if (!acknowledged(reply)) return;
    if (!is_member) joiner.memberships[*id] = GroupStanding::Member;
    joiner.circles_position = reply.position;
  };
  return command;
}

Command CommandGenerator::leave_group(MemberIndex actor) {
  auto& memberships = member(actor).memberships;
  if (memberships.empty()) return join_group(actor);
  auto held = memberships.begin();
  std::advance(held,
               std::uniform_int_distribution<std::size_t>(0, memberships.size() - 1)(random_));
  const bool is_member = is_in_group(held->second);
  Command command =
      does("group-leave", kService, call_of("DELETE", "/v1/groups/" + held->first + "/members/me"),
           0, is_member ? "GroupLeft,MemberCountChanged" : "");
  command.learn = [&standing = held->second](const auto& reply) {
    if (acknowledged(reply)) standing = GroupStanding::Left;
  };
  return command;
}

Command CommandGenerator::invite(MemberIndex actor) {
  const std::vector<OwnGroup>& groups = member(actor).groups;
  if (groups.empty()) return create_group(actor);
  const OwnGroup& group = any_of(groups, random_);
  const MemberIndex near = own_other_than(actor);
  const MemberIndex other = near != actor && one_in(2) ? near : other_than(actor);
  demo::Call call =
      call_of("POST", "/v1/groups/" + group.id + "/invitations", {{"user_id", name(other)}});
  if (group.dissolved) return fails("group-invite", kService, std::move(call), 404);
  // Who has declined is not invited again soon. Of other workers' members nobody declines here.
  const bool declined =
      other % workers_ == worker_ && member(other).declined_groups.contains(group.id);
  return does("group-invite", kService, std::move(call), declined ? 0 : 201, "(GroupInvited)?");
}

// Every text is another one, so no name is taken.
Command CommandGenerator::rename_group(MemberIndex actor) {
  const std::vector<OwnGroup>& groups = member(actor).groups;
  if (groups.empty()) return create_group(actor);
  const OwnGroup& group = any_of(groups, random_);
  demo::Call call = call_of("PUT", "/v1/groups/" + group.id + "/name", {{"name", text("Group")}});
  if (group.dissolved) return fails("group-rename", kService, std::move(call), 404);
  return does("group-rename", kService, std::move(call), 204,
              "GroupNameClaimed,GroupNameReleased,GroupRenamed");
}

Command CommandGenerator::dissolve_group(MemberIndex actor) {
  std::vector<OwnGroup>& groups = member(actor).groups;
  if (groups.empty()) return create_group(actor);
  OwnGroup& group = any_of(groups, random_);
  Command command =
      does("group-dissolve", kService, call_of("DELETE", "/v1/groups/" + group.id), 204,
           group.dissolved ? "" : "GroupCountChanged,GroupDissolved,GroupNameReleased");
  command.learn = [&group](const auto& reply) {
    if (acknowledged(reply)) group.dissolved = true;
  };
  return command;
}

}  // namespace tideline::chaos
