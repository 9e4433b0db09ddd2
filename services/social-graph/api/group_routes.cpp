// What a person may see of a group: everything as a member, its card when it is public or he is
// invited, and nothing else. Who may not know that it exists is answered 404.
#include <map>
#include <utility>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "http/messages/json.hpp"
#include "social-graph/api/group_commands.hpp"
#include "social-graph/api/lists.hpp"
#include "social-graph/api/routes.hpp"
#include "social-graph/domain/rejections.hpp"
#include "social-graph/projections/group_queries.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/stream_keys.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using eventsourcing::Answer;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using http::Access;
using http::Json;
using http::Method;
using http::Request;
using http::Response;
using http::WhenBehind;
using sql::PersonSince;
using sql::Place;
using sql::Slice;
using sql::Transaction;
using sql::Window;
using People = std::map<AccountId, people::Person>;
using Phase = Membership::Phase;

constexpr http::Length kGroupNameLength{1, 100};

http::Problem no_such_group() {
  return http::problem(404, kNoSuchGroup.code, "Not found", kNoSuchGroup.detail);
}

std::string group_in_path(const Request& request) {
  const std::string_view id = request.param("group_id");
  if (!core::is_time_ordered_id(id)) http::refuse(no_such_group());
  return std::string(id);
}

GroupCommands commands_of(const ApiPorts& ports) {
  return GroupCommands(ports.cipher, ports.group_limits);
}

const std::initializer_list<std::string_view> kHistories{"from_joining", "from_start"};

// Whatever check() will refuse anyhow is read as the default.
GroupHistory read_history(const std::optional<std::string>& text) {
  return parse_group_history(text.value_or("")).value_or(GroupHistory::FromJoining);
}

std::string_view role_name(const AccountId& creator, const AccountId& member, bool is_admin) {
  if (creator == member) return "creator";
  return is_admin ? "admin" : "member";
}

std::string_view membership_name(Phase phase) {
  switch (phase) {
    case Phase::Member:
      return "member";
    case Phase::Invited:
      return "invited";
    case Phase::Stranger:
    case Phase::Declined:
    case Phase::Left:
    case Phase::Removed:
      return "none";
  }
  CHECK(false, "a membership has one of its phases");
  return {};
}

struct GroupCard {
  ListedGroup group;
  Phase phase = Phase::Stranger;
};

Json card_json(const GroupCard& card, const std::optional<std::string>& name,
               const People& people) {
  return {{"id", card.group.group_id},
          {"name", name ? Json(*name) : Json(nullptr)},
          {"private", card.group.is_private},
          {"history", to_string(card.group.history)},
          {"creator", person_json(people, card.group.creator)},
          {"member_count", card.group.member_count},
          {"membership", membership_name(card.phase)},
          {"created_at", core::format_iso8601(card.group.created_at)}};
}

Response create_group(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string name = fields.text("name", kGroupNameLength);
  const bool is_private = fields.boolean("private");
  const auto history = read_history(fields.optional_one_of("history", kHistories));
  fields.check();
  const AccountId& me = request.account();
  const auto people = core::value_of(ports.database.read_each_alone([&](Transaction& transaction) {
    return ports.people.find_many(transaction, {&me, 1});
  }));
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const core::Timestamp now = session.context().now;
    const std::string id = core::make_time_ordered_id(now, ports.random);
    const auto group =
        commands_of(ports).create(session, CreateGroup{id, me, name, is_private, history, {}});
    const GroupCard card{{id, me, "", is_private, now, 1, history, {}, now}, Phase::Member};
    return Answer{201, card_json(card, name, people).dump(), "/v1/groups/" + id, keys::group(id)};
  });
}

// Nothing to say afterwards but the group's version.
Answer changed(const std::string& group_id) { return Answer{204, "", "", keys::group(group_id)}; }

Response rename_group(const ApiPorts& ports, const Request& request) {
  const auto group_id = group_in_path(request);
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string name = fields.text("name", kGroupNameLength);
  fields.check();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    commands_of(ports).rename(session, group_id, name, request.account());
    return changed(group_id);
  });
}

Response change_history(const ApiPorts& ports, const Request& request) {
  const auto group_id = group_in_path(request);
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const auto history = read_history(fields.one_of("history", kHistories));
  fields.check();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    commands_of(ports).change_history(session, group_id, history, request.account());
    return changed(group_id);
  });
}

Response hand_over_group(const ApiPorts& ports, const Request& request) {
  const auto group_id = group_in_path(request);
  const auto other = person_in_body(ports, request, Standing::Open);
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    commands_of(ports).hand_over(session, group_id, other.account, request.account());
    return changed(group_id);
  });
}

Response dissolve_group(const ApiPorts& ports, const Request& request) {
  const auto group_id = group_in_path(request);
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    commands_of(ports).dissolve(session, group_id, request.account());
    return changed(group_id);
  });
}

Response join_group(const ApiPorts& ports, const Request& request) {
  const auto group_id = group_in_path(request);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto member = commands_of(ports).join(session, group_id, me);
    const Json body{{"group_id", group_id}, {"membership", membership_name(Phase::Member)}};
    return Answer{201, body.dump(), "/v1/groups/" + group_id + "/members/me",
                  keys::member(group_id, me)};
  });
}

Response leave_group(const ApiPorts& ports, const Request& request) {
  const auto group_id = group_in_path(request);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto member = commands_of(ports).leave(session, group_id, me);
    return Answer{204, "", "", keys::member(group_id, me)};
  });
}

Response invite(const ApiPorts& ports, const Request& request) {
  const auto group_id = group_in_path(request);
  const auto other = person_in_body(ports, request, Standing::Open);
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto member =
        commands_of(ports).invite(session, group_id, other.account, request.account());
    return Answer{201, person_json(other).dump(), "", keys::member(group_id, other.account)};
  });
}

Response decline_invitation(const ApiPorts& ports, const Request& request) {
  const auto group_id = group_in_path(request);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    commands_of(ports).decline(session, group_id, me);
    return Answer{204, "", "", keys::member(group_id, me)};
  });
}

Response remove_member(const ApiPorts& ports, const Request& request) {
  const auto group_id = group_in_path(request);
  const auto other = person_in_path(ports, request, Standing::Any);
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    commands_of(ports).remove(session, group_id, other.account, request.account());
    return Answer{204, "", "", keys::member(group_id, other.account)};
  });
}

http::Handler changing_admin(const ApiPorts& ports, bool is_admin) {
  return [ports, is_admin](const Request& request) -> Response {
    const auto group_id = group_in_path(request);
    const auto other = person_in_path(ports, request, Standing::Any);
    return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
      commands_of(ports).change_admin(session, group_id, other.account, is_admin,
                                      request.account());
      return Answer{204, "", "", keys::member(group_id, other.account)};
    });
  };
}

struct FoundGroups {
  Slice<ListedGroup> slice;
  People people;
};

Response groups_response(const ApiPorts& ports, std::string_view kind, Phase phase,
                         const FoundGroups& found) {
  std::vector<crypto::SealedText> sealed;
  for (const ListedGroup& group : found.slice.items) {
    sealed.push_back(
        {group.creator, group.sealed_name, eventsourcing::Stored<GroupCreated>::kNameContext});
  }
  const auto names = core::value_of(ports.cipher.open_many(sealed));
  http::Page page = cursors_of(found.slice, [](const ListedGroup& group) {
    return Place<std::string>{group.since, group.group_id};
  });
  for (std::size_t i = 0; i < found.slice.items.size(); ++i) {
    page.items.push_back(card_json({found.slice.items[i], phase}, names[i], found.people));
  }
  return http::page_response(kind, std::move(page));
}

Response list_own_groups(const ApiPorts& ports, const Request& request) {
  const auto membership = request.query("membership").value_or(membership_name(Phase::Member));
  const bool invited = membership == membership_name(Phase::Invited);
  if (!invited && membership != membership_name(Phase::Member)) {
    return to_response(http::malformed("membership is member or invited"));
  }
  const Phase phase = invited ? Phase::Invited : Phase::Member;
  const std::string_view kind = invited ? "groups-invited" : "groups";
  const auto window = read_id_window(request, kind);
  return answer_from_tables<FoundGroups>(
      ports, request, WhenBehind::Refuse,
      [&](Transaction& transaction) -> FoundGroups {
        auto slice = list_groups(transaction, request.account(), phase, window);
        std::vector<AccountId> creators;
        for (const ListedGroup& group : slice.items) creators.push_back(group.creator);
        auto people = ports.people.find_many(transaction, creators);
        return FoundGroups{std::move(slice), std::move(people)};
      },
      [&](FoundGroups found) { return groups_response(ports, kind, phase, found); });
}

// What the caller may see of the group at all.
GroupCard visible_group(Transaction& transaction, const std::string& group_id,
                        const AccountId& me) {
  auto group = find_group(transaction, group_id);
  if (!group) http::refuse(no_such_group());
  const Phase phase = find_membership(transaction, group_id, me).phase;
  const bool known = phase == Phase::Member || phase == Phase::Invited;
  if (group->is_private && !known) http::refuse(no_such_group());
  return GroupCard{std::move(*group), phase};
}

void refuse_stranger(const GroupCard& card) {
  if (card.phase == Phase::Member) return;
  http::refuse(http::problem(403, "members-only", "The caller may not do this",
                             "only members of the group may see its members"));
}

struct FoundCard {
  GroupCard card;
  People people;
};

Response get_group(const ApiPorts& ports, const Request& request) {
  const auto group_id = group_in_path(request);
  return answer_from_tables<FoundCard>(
      ports, request, WhenBehind::Refuse,
      [&](Transaction& transaction) -> FoundCard {
        auto card = visible_group(transaction, group_id, request.account());
        auto people = ports.people.find_many(transaction, {&card.group.creator, 1});
        return FoundCard{std::move(card), std::move(people)};
      },
      [&](FoundCard found) {
        const ListedGroup& group = found.card.group;
        const auto name = core::value_of(ports.cipher.open(
            group.creator, group.sealed_name, eventsourcing::Stored<GroupCreated>::kNameContext));
        return Response::json(200, card_json(found.card, name, found.people))
            .header("ETag", http::entity_tag(group.version));
      });
}

Response list_group_members(const ApiPorts& ports, const Request& request) {
  const auto group_id = group_in_path(request);
  AccountId creator;
  return answer_people_with<ListedMember>(
      ports, request, "members", WhenBehind::Refuse,
      [&](Transaction& transaction, const Window<AccountId>& window) {
        const auto card = visible_group(transaction, group_id, request.account());
        refuse_stranger(card);
        creator = card.group.creator;
        return list_members(transaction, group_id, window);
      },
      [&](const std::vector<ListedMember>& members, Json& entries) {
        for (std::size_t i = 0; i < members.size(); ++i) {
          entries[i]["role"] = role_name(creator, members[i].account, members[i].is_admin);
        }
      });
}

struct FoundMember {
  PersonSince member;
  std::string_view role;
  People people;
};

// One lookup by key, whatever the size of the group. Of himself everybody may ask.
Response member_response(const ApiPorts& ports, const Request& request, const AccountId& account) {
  const auto group_id = group_in_path(request);
  return answer_from_tables<FoundMember>(
      ports, request, WhenBehind::Refuse,
      [&](Transaction& transaction) -> FoundMember {
        const AccountId& me = request.account();
        const auto card = visible_group(transaction, group_id, me);
        if (account != me) refuse_stranger(card);
        const HeldMembership held = find_membership(transaction, group_id, account);
        if (held.phase != Phase::Member) {
          http::refuse(http::problem(404, "no-such-member", "Not found",
                                     "this person is not a member of the group"));
        }
        return FoundMember{{account, held.since},
                           role_name(card.group.creator, account, held.is_admin),
                           ports.people.find_many(transaction, {&account, 1})};
      },
      [&](FoundMember found) {
        auto body = person_json(found.people, found.member.account);
        body["since"] = core::format_iso8601(found.member.since);
        body["role"] = found.role;
        return Response::json(200, body);
      });
}

Response get_member(const ApiPorts& ports, const Request& request) {
  const std::string_view user_id = request.param("user_id");
  return member_response(ports, request, ports.account_ids.of(user_id));
}

Response get_own_membership(const ApiPorts& ports, const Request& request) {
  return member_response(ports, request, request.account());
}

}  // namespace

void add_group_routes(http::Router& router, const ApiPorts& ports) {
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  router.add(Method::Post, "/v1/groups", Access::SignedIn, with(create_group));
  router.add(Method::Get, "/v1/groups", Access::SignedIn, with(list_own_groups));
  router.add(Method::Get, "/v1/groups/{group_id}", Access::SignedIn, with(get_group));
  router.add(Method::Delete, "/v1/groups/{group_id}", Access::SignedIn, with(dissolve_group));
  router.add(Method::Put, "/v1/groups/{group_id}/name", Access::SignedIn, with(rename_group));
  router.add(Method::Put, "/v1/groups/{group_id}/history", Access::SignedIn, with(change_history));
  router.add(Method::Put, "/v1/groups/{group_id}/creator", Access::SignedIn, with(hand_over_group));
  router.add(Method::Post, "/v1/groups/{group_id}/invitations", Access::SignedIn, with(invite));
  router.add(Method::Delete, "/v1/groups/{group_id}/invitations/me", Access::SignedIn,
             with(decline_invitation));
  router.add(Method::Post, "/v1/groups/{group_id}/members", Access::SignedIn, with(join_group));
  router.add(Method::Get, "/v1/groups/{group_id}/members", Access::SignedIn,
             with(list_group_members));
  router.add(Method::Get, "/v1/groups/{group_id}/members/me", Access::SignedIn,
             with(get_own_membership));
  router.add(Method::Delete, "/v1/groups/{group_id}/members/me", Access::SignedIn,
             with(leave_group));
  router.add(Method::Get, "/v1/groups/{group_id}/members/{user_id}", Access::SignedIn,
             with(get_member));
  router.add(Method::Delete, "/v1/groups/{group_id}/members/{user_id}", Access::SignedIn,
             with(remove_member));
  router.add(Method::Put, "/v1/groups/{group_id}/admins/{user_id}", Access::SignedIn,
             changing_admin(ports, true));
  router.add(Method::Delete, "/v1/groups/{group_id}/admins/{user_id}", Access::SignedIn,
             changing_admin(ports, false));
}

}  // namespace tideline::social_graph
