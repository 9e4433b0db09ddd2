// Projects, comments, advice, votes and ratings.
#include "command_generator.hpp"

namespace tideline::chaos {
namespace {

constexpr std::size_t kProjectsMax = 10;
constexpr std::size_t kAdviceMax = 30;
constexpr std::size_t kCommentsMax = 1000;

}  // namespace

Command CommandGenerator::create_project(MemberIndex actor) {
  std::vector<OwnProject>& projects = member(actor).projects;
  if (projects.size() >= kProjectsMax) return edit_project(actor);
  Command command = does("project", "projects",
                         call_of("POST", "/v1/projects",
                                 {{"name", text("Project")},
                                  {"introduction", "What it is"},
                                  {"labels", {"campus", "label-" + std::to_string(actor % 7)}}}),
                         201, "ProjectCountChanged,ProjectCreated");
  command.learn = [this, &projects](const auto& reply) {
    if (!acknowledged(reply)) return;
    projects.push_back({id_in(reply)});
    campus_.projects.put_up(projects.back().id);
  };
  return command;
}

Command CommandGenerator::edit_project(MemberIndex actor) {
  const std::vector<OwnProject>& projects = member(actor).projects;
  if (projects.empty()) return create_project(actor);
  return does("project-edit", "projects",
              call_of("PATCH", "/v1/projects/" + any_of(projects, random_).id,
                      {{"introduction", text("What it is now")}}),
              200, "ProjectEdited");
}

Command CommandGenerator::change_icon(MemberIndex actor) {
  std::vector<OwnProject>& projects = member(actor).projects;
  if (projects.empty()) return create_project(actor);
  OwnProject& project = any_of(projects, random_);
  return change_picture("project-icon", "projects", "/v1/projects/" + project.id + "/icon",
                        "ProjectIconChanged", project.icon);
}

Command CommandGenerator::comment(MemberIndex actor) {
  const auto id = campus_.projects.draw(random_);
  if (!id) return create_project(actor);
  const std::string path = "/v1/projects/" + *id + "/comments";
  Command command = does("comment", "projects", call_of("POST", path, {{"text", text("Comment")}}),
                         201, "CommentAdded");
  command.learn = [&comments = member(actor).project_comments, path](const auto& reply) {
    if (!acknowledged(reply) || comments.size() >= kCommentsMax) return;
    comments.push_back({path + "/" + std::to_string(reply.json().at("id").template get<int>())});
  };
  return command;
}

// The project's author does not remove it in between: one's own is removed by oneself alone here.
Command CommandGenerator::remove_comment(MemberIndex actor) {
  std::vector<ProjectComment>& comments = member(actor).project_comments;
  if (comments.empty()) return comment(actor);
  ProjectComment& written = any_of(comments, random_);
  Command command = does("comment-remove", "projects", call_of("DELETE", written.path), 204,
                         written.removed ? "" : "CommentRemoved");
  command.learn = [&written](const auto& reply) {
    if (acknowledged(reply)) written.removed = true;
  };
  return command;
}

// To and fro, one that nobody else knows of.
Command CommandGenerator::withdraw_project(MemberIndex actor) {
  std::optional<HiddenProject>& hidden = member(actor).hidden_project;
  if (!hidden) {
    Command command =
        does("project", "projects", call_of("POST", "/v1/projects", {{"name", text("Hidden")}}),
             201, "ProjectCountChanged,ProjectCreated");
    command.learn = [&hidden](const auto& reply) {
      if (acknowledged(reply)) hidden = HiddenProject{id_in(reply)};
    };
    return command;
  }
  const bool restores = hidden->withdrawn;
  const std::string target = "/v1/projects/" + hidden->id + "/withdrawal";
  Command command =
      does("project-withdraw", "projects", call_of(restores ? "DELETE" : "PUT", target),
           restores ? 204 : 200, restores ? "ProjectRestored" : "ProjectWithdrawn");
  command.learn = [&hidden, restores](const auto& reply) {
    if (acknowledged(reply)) hidden->withdrawn = !restores;
  };
  return command;
}

Command CommandGenerator::give_advice(MemberIndex actor) {
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

CommandGenerator::NamedAdvice CommandGenerator::any_advice(MemberIndex author) {
  std::vector<OwnProject>& projects = member(author).projects;
  if (projects.empty()) return {};
  OwnProject& project = any_of(projects, random_);
  if (project.advice.empty()) return {};
  ReceivedAdvice& advice = any_of(project.advice, random_);
  return {&advice, "/v1/projects/" + project.id + "/advice/" + advice.id};
}

Command CommandGenerator::adopt_advice(MemberIndex actor) {
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

Command CommandGenerator::withdraw_advice(MemberIndex actor) {
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

Command CommandGenerator::open_voting(MemberIndex actor) {
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

Command CommandGenerator::close_voting(MemberIndex actor) {
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
Command CommandGenerator::vote(MemberIndex actor) {
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

Command CommandGenerator::rate_person(MemberIndex actor) {
  return rate(actor, "/v1/ratings/people/" + name(other_than(actor)), 200);
}

// Scoring hears of the project from projects, and one's own is not rated.
Command CommandGenerator::rate_project(MemberIndex actor) {
  const auto id = campus_.projects.draw(random_);
  if (!id) return create_project(actor);
  return rate(actor, "/v1/ratings/projects/" + *id, 0);
}

Command CommandGenerator::rate(MemberIndex actor, const std::string& target, int status) {
  std::map<std::string, int>& given = member(actor).ratings;
  const int stars = std::uniform_int_distribution<>(1, 5)(random_);
  Command command = does("rating", "scoring", call_of("PUT", target, {{"stars", stars}}), status,
                         given[target] == stars ? "" : "Rated");
  command.learn = [&given, target, stars](const auto& reply) {
    if (acknowledged(reply)) given[target] = stars;
  };
  return command;
}

}  // namespace tideline::chaos
