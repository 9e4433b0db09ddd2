// Moments with what lies under them, and messages.
#include <array>
#include <utility>

#include "command_generator.hpp"

namespace tideline::chaos {
namespace {

constexpr std::array kAudiences = {"public", "public", "private", "partly-visible",
                                   "partly-invisible"};
constexpr std::size_t kMomentsKept = 50;
constexpr std::size_t kCommentsKept = 20;

}  // namespace

// Adds one to the body.
void CommandGenerator::choose_audience(MemberIndex actor, demo::Json& body) {
  const Member& author = member(actor);
  const std::string audience = any_of(kAudiences, random_);
  body["audience"] = audience;
  if (audience.starts_with("partly")) {
    body["user_ids"] = {name(other_than(actor)), name(other_than(actor))};
    std::vector<std::string> tags;
    for (const OwnTag& tag : author.tags) {
      if (!tag.deleted) tags.push_back(tag.id);
    }
    std::vector<std::string> groups;
    for (const OwnGroup& group : author.groups) {
      if (!group.dissolved && is_in_group(author.memberships.at(group.id))) {
        groups.push_back(group.id);
      }
    }
    if (!tags.empty()) body["tag_ids"] = {any_of(tags, random_)};
    if (!groups.empty()) body["group_ids"] = {any_of(groups, random_)};
  }
}

Command CommandGenerator::publish_moment(MemberIndex actor) {
  Member& author = member(actor);
  demo::Json body{{"content", text("Moment") + " #chaos"}};
  choose_audience(actor, body);
  const bool names_circles = body.contains("tag_ids") || body.contains("group_ids");
  Command command = does("moment", "feed", call_of("POST", "/v1/moments", std::move(body)), 201,
                         "MomentPublished");
  if (names_circles) {
    command.call.position = author.circles_position;
  } else if (one_in(2)) {
    command.call.position = author.account.position;
  }
  command.learn = [this, &author](const auto& reply) {
    if (!acknowledged(reply)) return;
    author.moments.push_back(id_in(reply));
    campus_.moments.put_up(author.moments.back());
    if (author.moments.size() > kMomentsKept) author.moments.erase(author.moments.begin());
  };
  return command;
}

Command CommandGenerator::delete_moment(MemberIndex actor) {
  Member& author = member(actor);
  if (author.deleted_moment && one_in(4)) {
    return repeats("moment-delete", "feed",
                   call_of("DELETE", "/v1/moments/" + *author.deleted_moment), 204);
  }
  if (author.moments.empty()) return publish_moment(actor);
  const std::string id = any_of(author.moments, random_);
  Command command =
      does("moment-delete", "feed", call_of("DELETE", "/v1/moments/" + id), 204, "MomentDeleted");
  command.learn = [&author, id](const auto& reply) {
    if (!acknowledged(reply)) return;
    std::erase(author.moments, id);
    author.deleted_moment = id;
  };
  return command;
}

// 403 to who may see it, 404 to others; his own is deleted.
Command CommandGenerator::delete_foreign_moment(MemberIndex actor) {
  const auto id = campus_.moments.draw(random_);
  Member& self = member(actor);
  const auto& own = self.moments;
  if (!id || self.deleted_moment == id || std::find(own.begin(), own.end(), *id) != own.end()) {
    return delete_moment(actor);
  }
  Command command = fails("moment-delete", "feed", call_of("DELETE", "/v1/moments/" + *id));
  // It may be one of his that are not kept here any more.
  command.events = "(MomentDeleted)?";
  return command;
}

// Texts of a run differ, so this is a change. Whether one that is kept is an hour old, which is too
// old, nobody knows once the run has lasted that long.
Command CommandGenerator::edit_moment(MemberIndex actor) {
  const Member& author = member(actor);
  if (author.moments.empty()) return publish_moment(actor);
  return does("moment-edit", "feed",
              call_of("PATCH", "/v1/moments/" + any_of(author.moments, random_),
                      {{"content", text("Edited")}}),
              std::chrono::steady_clock::now() < begun_ + std::chrono::minutes(50) ? 204 : 0,
              "MomentEdited");
}

// To the audience that it has, or once too often, it is not changed.
Command CommandGenerator::change_audience(MemberIndex actor) {
  const Member& author = member(actor);
  if (author.moments.empty()) return publish_moment(actor);
  auto body = demo::Json::object();
  choose_audience(actor, body);
  Command command =
      does("moment-audience", "feed",
           call_of("PUT", "/v1/moments/" + any_of(author.moments, random_) + "/audience",
                   std::move(body)),
           0, "(MomentAudienceChanged)?");
  command.call.position = author.circles_position;
  return command;
}

// Who may see it, others decide.
Command CommandGenerator::like(MemberIndex actor) {
  const auto id = campus_.moments.draw(random_);
  if (!id) return publish_moment(actor);
  std::set<std::string>& likes = member(actor).likes;
  const bool stands = likes.contains(*id);
  const std::string target = "/v1/moments/" + *id + "/like";
  const bool take_back = one_in(3);
  Command command =
      take_back
          ? does("unlike", "feed", call_of("DELETE", target), 0, stands ? "MomentUnliked" : "")
          : does("like", "feed", call_of("PUT", target), 0, stands ? "" : "MomentLiked");
  command.learn = [&likes, id, take_back](const auto& reply) {
    if (!acknowledged(reply)) return;
    if (take_back) {
      likes.erase(*id);
    } else {
      likes.insert(*id);
    }
  };
  return command;
}

Command CommandGenerator::comment_on_moment(MemberIndex actor) {
  Member& self = member(actor);
  auto moment = campus_.moments.draw(random_);
  if (!moment) return publish_moment(actor);
  demo::Json body{{"text", text("Under it")}};
  if (!self.comments.empty() && one_in(3)) {
    const MomentComment& answered = any_of(self.comments, random_);
    moment = answered.moment;
    body["parent_id"] = answered.id;
  }
  Command command = does("moment-comment", "feed",
                         call_of("POST", "/v1/moments/" + *moment + "/comments", std::move(body)),
                         0, "CommentAdded");
  if (one_in(2)) command.call.position = self.account.position;
  command.learn = [&self, moment](const auto& reply) {
    if (!acknowledged(reply)) return;
    self.comments.push_back({*moment, id_in(reply)});
    if (self.comments.size() > kCommentsKept) self.comments.erase(self.comments.begin());
  };
  return command;
}

Command CommandGenerator::delete_comment(MemberIndex actor) {
  const Member& self = member(actor);
  if (self.comments.empty()) return comment_on_moment(actor);
  MomentComment& comment = any_of(member(actor).comments, random_);
  Command command =
      does("moment-comment-delete", "feed",
           call_of("DELETE", "/v1/moments/" + comment.moment + "/comments/" + comment.id), 204,
           comment.deleted ? "" : "CommentDeleted");
  command.learn = [&comment](const auto& reply) {
    if (acknowledged(reply)) comment.deleted = true;
  };
  return command;
}

// To a contact if there is one among some whom it draws. Feed learns of contacts from social-graph,
// and others accept messages: whether this one is a request, or one too many, they decide.
Command CommandGenerator::send_message(MemberIndex actor) {
  MemberIndex to = other_than(actor);
  for (int tries = 0; tries < 8; ++tries) {
    const auto pair = pairs_.find(std::minmax(actor, to));
    if (pair != pairs_.end() && pair->second.phase == PairPhase::Contacts) break;
    to = other_than(actor);
  }
  Command command =
      does("message", "feed",
           call_of("POST", "/v1/messages", {{"to", name(to)}, {"text", text("Message")}}), 0,
           "(MessageRequestChanged,)*MessageSent(,StrangerCountChanged)?");
  if (one_in(2)) command.call.position = member(actor).account.position;
  command.learn = [this, actor](const demo::Reply& reply) {
    if (!acknowledged(reply)) return;
    member(actor).last_message = reply.json().at("key").get<std::string>();
    campus_.messages.put_up(member(actor).last_message);
  };
  return command;
}

// Within two minutes, which faults may take: then it is too late.
Command CommandGenerator::recall_message(MemberIndex actor) {
  const std::string key = std::exchange(member(actor).last_message, "");
  if (key.empty()) return send_message(actor);
  return does("message-recall", "feed", call_of("DELETE", "/v1/messages/" + key), 0,
              "(MessageRecalled)?");
}

// Up to some message of anybody's: whether that raises his mark, and whether he is a member yet,
// the feed decides.
Command CommandGenerator::read_group(MemberIndex actor) {
  const auto& memberships = member(actor).memberships;
  const auto key = campus_.messages.draw(random_);
  if (memberships.empty() || !key) return send_message(actor);
  const std::string group = "/v1/messages/groups/" + memberships.begin()->first;
  return does("group-read", "feed", call_of("POST", group + "/read", {{"up_to", *key}}), 0,
              "(GroupMessagesRead)?");
}

// Everything that has arrived up to some message: how much that is, his senders and the lag decide.
Command CommandGenerator::read_messages(MemberIndex actor) {
  const auto key = campus_.messages.draw(random_);
  if (!key) return send_message(actor);
  return does("messages-read", "feed",
              call_of("POST", "/v1/messages/inbox/read", {{"up_to", *key}}), 200,
              "(MessagesRead)?");
}

// Whether somebody's messages wait, others decide.
Command CommandGenerator::answer_request(MemberIndex actor) {
  const std::string from = "/v1/messages/requests/" + name(other_than(actor));
  const bool accepts = !one_in(3);
  return does(accepts ? "messages-accept" : "messages-ignore", "feed",
              call_of("POST", from + (accepts ? "/accept" : "/ignore")), 0,
              "(MessageRequestChanged)?");
}

// What the other has sent up to some message of anybody's, if it is one of these.
Command CommandGenerator::read_conversation(MemberIndex actor) {
  const auto key = campus_.messages.draw(random_);
  if (!key) return send_message(actor);
  const std::string with = "/v1/messages/conversations/" + name(other_than(actor));
  return does("conversation-read", "feed", call_of("POST", with + "/read", {{"up_to", *key}}), 0,
              "(MessagesRead)?");
}

Command CommandGenerator::change_message_setting(MemberIndex actor) {
  bool& held = member(actor).takes_contacts_only;
  const bool wanted = one_in(4);
  Command command = does("message-setting", "feed",
                         call_of("PUT", "/v1/messages/setting", {{"contacts_only", wanted}}), 200,
                         wanted == held ? "" : "MessageSettingChanged");
  command.learn = [&held, wanted](const auto& reply) {
    if (acknowledged(reply)) held = wanted;
  };
  return command;
}

// The feed learns of memberships from social-graph: whether he is a member yet, it decides.
Command CommandGenerator::send_to_group(MemberIndex actor) {
  const auto& memberships = member(actor).memberships;
  if (memberships.empty()) return send_message(actor);
  auto group = memberships.begin();
  std::advance(group,
               std::uniform_int_distribution<std::size_t>(0, memberships.size() - 1)(random_));
  return does(
      "group-message", "feed",
      call_of("POST", "/v1/messages", {{"group_id", group->first}, {"text", text("To the group")}}),
      0, "MessageSent");
}

}  // namespace tideline::chaos
