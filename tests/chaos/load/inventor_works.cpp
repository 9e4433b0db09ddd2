// Moments, messages, projects, comments, advice and votes.
#include <array>

#include "inventor.hpp"

namespace tideline::chaos {
namespace {

constexpr std::array kAudiences = {"public", "public", "private", "partly-visible",
                                   "partly-invisible"};
constexpr std::size_t kMomentsKept = 50;
constexpr std::size_t kProjectsMax = 10;
constexpr std::size_t kAdviceMax = 30;

std::string id_in(const demo::Reply& reply) { return reply.json().at("id").get<std::string>(); }

}  // namespace

Command Inventor::publish_moment(MemberIndex actor) {
  Member& author = member(actor);
  const std::string audience = any_of(kAudiences, random_);
  demo::Json body{{"content", text("Moment")}, {"audience", audience}};
  if (audience.starts_with("partly")) {
    body["user_ids"] = {name(other_than(actor)), name(other_than(actor))};
    if (!author.tags.empty()) body["tag_ids"] = {any_of(author.tags, random_).id};
    if (!author.groups.empty()) body["group_ids"] = {any_of(author.groups, random_).id};
  }
  Command command = does("moment", "feed", call_of("POST", "/v1/moments", std::move(body)), 201,
                         "MomentPublished");
  if (one_in(2)) command.call.position = author.account.position;
  command.learn = [this, &author](const auto& reply) {
    if (!acknowledged(reply)) return;
    author.moments.push_back(id_in(reply));
    campus_.moments.put_up(author.moments.back());
    if (author.moments.size() > kMomentsKept) author.moments.erase(author.moments.begin());
  };
  return command;
}

Command Inventor::delete_moment(MemberIndex actor) {
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
Command Inventor::delete_foreign_moment(MemberIndex actor) {
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

Command Inventor::send_message(MemberIndex actor) {
  Command command = does(
      "message", "feed",
      call_of("POST", "/v1/messages", {{"to", name(other_than(actor))}, {"text", text("Message")}}),
      201, "MessageSent");
  if (one_in(2)) command.call.position = member(actor).account.position;
  return command;
}

// The feed learns of memberships from social-graph: whether he is a member yet, it decides.
Command Inventor::send_to_group(MemberIndex actor) {
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

Command Inventor::create_project(MemberIndex actor) {
  std::vector<OwnProject>& projects = member(actor).projects;
  if (projects.size() >= kProjectsMax) return edit_project(actor);
  Command command = does("project", "projects",
                         call_of("POST", "/v1/projects",
                                 {{"name", text("Project")},
                                  {"introduction", "What it is"},
                                  {"labels", {"campus", "label-" + std::to_string(actor % 7)}}}),
                         201, "ProjectCreated");
  command.learn = [this, &projects](const auto& reply) {
    if (!acknowledged(reply)) return;
    projects.push_back({id_in(reply)});
    campus_.projects.put_up(projects.back().id);
  };
  return command;
}

Command Inventor::edit_project(MemberIndex actor) {
  const std::vector<OwnProject>& projects = member(actor).projects;
  if (projects.empty()) return create_project(actor);
  return does("project-edit", "projects",
              call_of("PATCH", "/v1/projects/" + any_of(projects, random_).id,
                      {{"introduction", text("What it is now")}}),
              200, "ProjectEdited");
}

Command Inventor::comment(MemberIndex actor) {
  const auto id = campus_.projects.draw(random_);
  if (!id) return create_project(actor);
  return does("comment", "projects",
              call_of("POST", "/v1/projects/" + *id + "/comments", {{"text", text("Comment")}}),
              201, "CommentAdded");
}

Command Inventor::give_advice(MemberIndex actor) {
  std::vector<OwnProject>& projects = member(actor).projects;
  const MemberIndex adviser = draw_actor();
  if (projects.empty()) return create_project(actor);
  OwnProject& project = any_of(projects, random_);
  demo::Call call =
      call_of("POST", "/v1/projects/" + project.id + "/advice", {{"text", text("Advice")}});
  if (adviser == actor) return fails("advice", "projects", std::move(call), 422);
  if (project.advice.size() >= kAdviceMax) return adopt_advice(actor);
  Command command = does("advice", "projects", std::move(call), 201, "AdviceGiven");
  command.as = &member(adviser).account;
  command.learn = [&project, adviser](const auto& reply) {
    if (acknowledged(reply)) project.advice.push_back({id_in(reply), adviser});
  };
  return command;
}

Inventor::NamedAdvice Inventor::any_advice(MemberIndex author) {
  std::vector<OwnProject>& projects = member(author).projects;
  if (projects.empty()) return {};
  OwnProject& project = any_of(projects, random_);
  if (project.advice.empty()) return {};
  ReceivedAdvice& advice = any_of(project.advice, random_);
  return {&advice, "/v1/projects/" + project.id + "/advice/" + advice.id};
}

Command Inventor::adopt_advice(MemberIndex actor) {
  const auto [advice, path] = any_advice(actor);
  if (advice == nullptr) return give_advice(actor);
  demo::Call call = call_of("PUT", path + "/adoption");
  if (advice->phase == AdvicePhase::Withdrawn) {
    return fails("advice-adopt", "projects", std::move(call), 404);
  }
  if (one_in(8)) {
    Command command = fails("advice-adopt", "projects", std::move(call), 403);
    command.as = &member(advice->adviser).account;
    return command;
  }
  Command command = does("advice-adopt", "projects", std::move(call), 200,
                         advice->phase == AdvicePhase::Adopted ? "" : "AdviceAdopted");
  command.learn = [advice](const auto& reply) {
    if (acknowledged(reply)) advice->phase = AdvicePhase::Adopted;
  };
  return command;
}

Command Inventor::withdraw_advice(MemberIndex actor) {
  const auto [advice, path] = any_advice(actor);
  if (advice == nullptr) return give_advice(actor);
  demo::Call call = call_of("DELETE", path);
  Command command;
  if (advice->phase == AdvicePhase::Adopted) {
    command = fails("advice-withdraw", "projects", std::move(call), 409);
  } else {
    command = does("advice-withdraw", "projects", std::move(call), 204,
                   advice->phase == AdvicePhase::Withdrawn ? "" : "AdviceWithdrawn");
    command.learn = [advice](const auto& reply) {
      if (acknowledged(reply)) advice->phase = AdvicePhase::Withdrawn;
    };
  }
  command.as = &member(advice->adviser).account;
  return command;
}

Command Inventor::open_voting(MemberIndex actor) {
  std::vector<OwnProject>& projects = member(actor).projects;
  if (projects.empty()) return create_project(actor);
  OwnProject& project = any_of(projects, random_);
  demo::Call call = call_of("POST", "/v1/projects/" + project.id + "/voting");
  if (project.voting == VotingPhase::Closed) {
    return fails("voting-open", "projects", std::move(call), 409);
  }
  Command command = does("voting-open", "projects", std::move(call), 201,
                         project.voting == VotingPhase::Open ? "" : "VotingOpened");
  command.learn = [&project](const auto& reply) {
    if (acknowledged(reply)) project.voting = VotingPhase::Open;
  };
  return command;
}

Command Inventor::close_voting(MemberIndex actor) {
  std::vector<OwnProject>& projects = member(actor).projects;
  if (projects.empty()) return create_project(actor);
  OwnProject& project = any_of(projects, random_);
  demo::Call call = call_of("DELETE", "/v1/projects/" + project.id + "/voting");
  if (project.voting == VotingPhase::NotOpened) {
    return fails("voting-close", "projects", std::move(call), 409);
  }
  Command command = does("voting-close", "projects", std::move(call), 204,
                         project.voting == VotingPhase::Closed ? "" : "VotingClosed");
  command.learn = [&project](const auto& reply) {
    if (acknowledged(reply)) project.voting = VotingPhase::Closed;
  };
  return command;
}

// The author opens and closes the voting meanwhile.
Command Inventor::vote(MemberIndex actor) {
  const auto id = campus_.projects.draw(random_);
  if (!id) return create_project(actor);
  std::set<std::string>& votes = member(actor).votes;
  const bool stands = votes.contains(*id);
  const std::string target = "/v1/projects/" + *id + "/vote";
  const bool withdraw = one_in(3);
  Command command =
      withdraw ? does("vote-withdraw", "projects", call_of("DELETE", target), 0,
                      stands ? "VoteWithdrawn" : "")
               : does("vote", "projects", call_of("PUT", target), 0, stands ? "" : "VoteCast");
  command.learn = [&votes, id, withdraw](const auto& reply) {
    if (!acknowledged(reply)) return;
    if (withdraw) {
      votes.erase(*id);
    } else {
      votes.insert(*id);
    }
  };
  return command;
}

}  // namespace tideline::chaos
