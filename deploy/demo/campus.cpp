#include "demo/campus.hpp"

#include <array>

#include "demo/work_by_actor.hpp"

namespace tideline::demo {
namespace {

// Hashing passwords is slow on purpose; more threads would only wait and be turned away.
constexpr std::size_t kRegistrars = 4;
constexpr std::array kDepartments = {"Mathematics", "Physics",   "Biology", "History",
                                     "Chemistry",   "Computing", "Music",   ""};

std::string password_of(const std::string& user_id) { return "tideline-" + user_id; }

}  // namespace

Campus::Campus(WorkerPool& workers, const Graph& graph, const Plan& plan, std::string run)
    : workers_(workers), plan_(plan), run_(std::move(run)) {
  const std::size_t people = plan.people;
  world_.people.resize(people);
  for (PersonIndex i = 0; i < people; ++i) {
    world_.people[i].user_id = run_ + "-" + graph.names[i];
    world_.people[i].real_name = "Student " + graph.names[i];
    world_.people[i].department = kDepartments[i % kDepartments.size()];
  }
  world_.contacts.resize(people);
  world_.contacts_made.resize(people);
  world_.following.resize(people);
  world_.hides.resize(people);
  world_.hidden_from.resize(people);
  world_.visits.resize(people);
  world_.points.resize(people);
  world_.contributions.resize(people);
}

void Campus::renew(Client& client, Person& person) {
  const Reply reply = client.expect(
      200, {"POST", "/v1/sessions/refresh", "", {{"refresh_token", person.refresh_token}}, ""});
  const Json session = reply.json();
  const std::lock_guard lock(world_mutex_);
  person.access_token = session.at("access_token").get<std::string>();
  person.refresh_token = session.at("refresh_token").get<std::string>();
}

Reply Campus::as(Client& client, PersonIndex index, int status, const std::string& method,
                 const std::string& target, Json body) {
  Person& person = world_.people[index];
  Call call{method, target, person.access_token, std::move(body), person.position};
  Reply reply = client.send(call);
  if (reply.status == 401) {
    renew(client, person);
    call.token = person.access_token;
    reply = client.send(call);
  }
  if (reply.status != status) {
    throw UnexpectedAnswer(person.user_id + ": " + method + " " + target + " answered " +
                           std::to_string(reply.status) + " instead of " + std::to_string(status) +
                           ": " + reply.body);
  }
  if (!reply.position.empty()) person.position = reply.position;
  return reply;
}

void Campus::award(PersonIndex person, std::int64_t points, std::int64_t contributions) {
  const std::lock_guard lock(world_mutex_);
  world_.points[person] += points;
  world_.contributions[person] += contributions;
}

void Campus::come_together() {
  register_everybody();
  wait_until_caught_up();
  befriend(plan_.contacts, "contacts");
  remark();
  follow();
  tag();
  form_groups();
  exclude();
  found_projects();
  comment_and_vote();
  sign_in_and_visit();
}

void Campus::register_everybody() {
  workers_.work(
      "people registered", plan_.people,
      [&](Client& client, std::size_t i) {
        Person& person = world_.people[i];
        const Reply reply = client.expect(201, {"POST",
                                                "/v1/accounts",
                                                "",
                                                {{"user_id", person.user_id},
                                                 {"password", password_of(person.user_id)},
                                                 {"real_name", person.real_name},
                                                 {"email", person.user_id + "@campus.example"},
                                                 {"department", person.department}},
                                                ""});
        const Json session = reply.json().at("session");
        person.access_token = session.at("access_token").get<std::string>();
        person.refresh_token = session.at("refresh_token").get<std::string>();
        person.position = reply.position;
      },
      kRegistrars);
}

void Campus::befriend(const std::vector<Edge>& edges, const std::string& title) {
  work_by_actor(
      workers_, title + " asked for", edges, [](const Edge& edge) { return edge.first; },
      [&](Client& client, const Edge& edge, std::size_t) {
        as(client, edge.first, 201, "POST", "/v1/contact-requests",
           {{"user_id", name(edge.second)}});
      });
  work_by_actor(
      workers_, title + " accepted", edges, [](const Edge& edge) { return edge.second; },
      [&](Client& client, const Edge& edge, std::size_t) {
        as(client, edge.second, 200, "POST",
           "/v1/contact-requests/" + name(edge.first) + "/accept");
        const std::lock_guard lock(world_mutex_);
        world_.contacts[edge.first].insert(edge.second);
        world_.contacts[edge.second].insert(edge.first);
        world_.accepted.insert(edge);
        for (const PersonIndex person : {edge.first, edge.second}) {
          if (++world_.contacts_made[person] > Rules::kContactsADay) continue;
          world_.points[person] += Rules::kContact;
        }
      });
}

void Campus::remark() {
  work_by_actor(
      workers_, "contacts called by other names", plan_.remarks,
      [](const Edge& edge) { return edge.first; },
      [&](Client& client, const Edge& edge, std::size_t number) {
        const std::string remark = "friend " + std::to_string(number);
        as(client, edge.first, 204, "PUT", "/v1/contacts/" + name(edge.second) + "/remark",
           {{"remark", remark}});
        const std::lock_guard lock(world_mutex_);
        world_.remarks[edge] = remark;
      });
}

void Campus::follow() {
  work_by_actor(
      workers_, "follows", plan_.follows, [](const Edge& edge) { return edge.first; },
      [&](Client& client, const Edge& edge, std::size_t) {
        as(client, edge.first, 200, "PUT", "/v1/follows/" + name(edge.second));
        award(edge.second, Rules::kFollowed);
        const std::lock_guard lock(world_mutex_);
        world_.following[edge.first].insert(edge.second);
      });
}

void Campus::tag() {
  world_.tags.resize(plan_.tags.size());
  work_by_actor(
      workers_, "tags with their people", plan_.tags, [](const PlannedTag& t) { return t.owner; },
      [&](Client& client, const PlannedTag& planned, std::size_t number) {
        const Reply reply = as(client, planned.owner, 201, "POST", "/v1/tags",
                               {{"name", "tag " + std::to_string(number)}});
        Tag made{reply.json().at("id").get<std::string>(), planned.owner, {}};
        for (const PersonIndex person : planned.people) {
          as(client, planned.owner, 200, "PUT",
             "/v1/tags/" + made.id + "/contacts/" + name(person));
          made.people.insert(person);
        }
        const std::lock_guard lock(world_mutex_);
        world_.tags[number] = std::move(made);
      });
}

void Campus::form_groups() {
  world_.groups.resize(plan_.groups.size());
  work_by_actor(
      workers_, "groups", plan_.groups, [](const PlannedGroup& g) { return g.creator; },
      [&](Client& client, const PlannedGroup& planned, std::size_t number) {
        const std::string title = "group " + std::to_string(number);
        const Json body{{"name", title}, {"private", planned.is_private}};
        const Reply reply = as(client, planned.creator, 201, "POST", "/v1/groups", body);
        as(client, planned.creator, 409, "POST", "/v1/groups", body);
        Group made{reply.json().at("id").get<std::string>(), title, planned.creator, {}, false};
        made.members.insert(planned.creator);
        if (planned.is_private) {
          for (const PersonIndex member : planned.members) {
            as(client, planned.creator, 201, "POST", "/v1/groups/" + made.id + "/invitations",
               {{"user_id", name(member)}});
          }
        }
        const std::lock_guard lock(world_mutex_);
        world_.groups[number] = std::move(made);
      });
  std::vector<std::pair<std::size_t, PersonIndex>> joins;
  for (std::size_t group = 0; group < plan_.groups.size(); ++group) {
    for (const PersonIndex member : plan_.groups[group].members) joins.emplace_back(group, member);
  }
  work_by_actor(
      workers_, "group members", joins, [](const auto& join) { return join.second; },
      [&](Client& client, const auto& join, std::size_t) {
        as(client, join.second, 201, "POST",
           "/v1/groups/" + world_.groups[join.first].id + "/members");
        const std::lock_guard lock(world_mutex_);
        world_.groups[join.first].members.insert(join.second);
      });
}

void Campus::exclude() {
  const auto set = [&](Client& client, const Edge& edge, bool hides, bool hidden) {
    as(client, edge.first, 200, "PUT", "/v1/moment-settings/" + name(edge.second),
       {{"hides_other", hides}, {"hidden_from_other", hidden}});
    const std::lock_guard lock(world_mutex_);
    if (hides) world_.hides[edge.first].insert(edge.second);
    if (hidden) world_.hidden_from[edge.first].insert(edge.second);
  };
  const auto owner = [](const Edge& edge) { return edge.first; };
  work_by_actor(
      workers_, "people not to be seen", plan_.hides, owner,
      [&](Client& client, const Edge& edge, std::size_t) { set(client, edge, true, false); });
  work_by_actor(
      workers_, "people who must not see", plan_.hidden_from, owner,
      [&](Client& client, const Edge& edge, std::size_t) { set(client, edge, false, true); });
}

void Campus::found_projects() {
  world_.projects.resize(plan_.projects.size());
  work_by_actor(
      workers_, "projects", plan_.projects, [](const PlannedProject& p) { return p.author; },
      [&](Client& client, const PlannedProject& planned, std::size_t number) {
        const Reply reply = as(client, planned.author, 201, "POST", "/v1/projects",
                               {{"name", "Project " + std::to_string(number)},
                                {"introduction", "What " + name(planned.author) + " builds"},
                                {"labels", {"campus", "label-" + std::to_string(number % 7)}},
                                {"link", nullptr}});
        const std::string id = reply.json().at("id").get<std::string>();
        as(client, planned.author, 201, "POST", "/v1/projects/" + id + "/voting");
        award(planned.author, Rules::kProject, Rules::kProjectContribution);
        const std::lock_guard lock(world_mutex_);
        world_.projects[number] = {id, planned.author, 0, {}};
      });
}

void Campus::advise(Client& client, const PlannedProject& planned, const Project& project) {
  const std::string path = "/v1/projects/" + project.id + "/advice";
  for (const PlannedAdvice& advice : planned.advice) {
    const Reply reply = client.expect(
        201, {"POST", path, world_.people[advice.adviser].access_token, {{"text", "Try it."}}, ""});
    if (!advice.adopted) continue;
    const std::string id = reply.json().at("id").get<std::string>();
    client.expect(200, {"PUT", path + "/" + id + "/adoption",
                        world_.people[planned.author].access_token, nullptr, ""});
    award(advice.adviser, Rules::kAdviceAdopted, Rules::kAdviceContribution);
  }
}

void Campus::comment_and_vote() {
  // Comment ids are counted within a project, so one hand writes all comments of a project.
  workers_.work("projects discussed and voted on", plan_.projects.size(),
                [&](Client& client, std::size_t number) {
                  const PlannedProject& planned = plan_.projects[number];
                  Project& project = world_.projects[number];
                  const std::string path = "/v1/projects/" + project.id;
                  for (const PlannedComment& comment : planned.comments) {
                    client.expect(201, {"POST",
                                        path + "/comments",
                                        world_.people[comment.author].access_token,
                                        {{"parent_id", comment.parent}, {"text", "Well done."}},
                                        ""});
                    award(comment.author, Rules::kComment, Rules::kCommentContribution);
                    ++project.comments;
                  }
                  advise(client, planned, project);
                  for (const PersonIndex voter : planned.voters) {
                    client.expect(200, {"PUT", path + "/vote", world_.people[voter].access_token,
                                        nullptr, ""});
                    if (voter != planned.author) {
                      award(planned.author, Rules::kVoteReceived);
                      award(voter, 0, Rules::kVoteContribution);
                    }
                    project.voters.insert(voter);
                  }
                });
}

void Campus::take_projects_back() {
  const auto author = [this](std::size_t project) { return world_.projects[project].author; };
  const auto path = [this](std::size_t project) {
    return "/v1/projects/" + world_.projects[project].id;
  };
  work_by_actor(
      workers_, "comments removed", plan_.removed,
      [&](const auto& removed) { return author(removed.first); },
      [&](Client& client, const auto& removed, std::size_t) {
        const auto& [project, comment] = removed;
        as(client, author(project), 204, "DELETE",
           path(project) + "/comments/" + std::to_string(comment));
        world_.projects[project].removed.insert(comment);
      });
  work_by_actor(workers_, "projects withdrawn", plan_.withdrawn, author,
                [&](Client& client, std::size_t project, std::size_t) {
                  as(client, author(project), 200, "PUT", path(project) + "/withdrawal");
                  world_.projects[project].withdrawn = true;
                });
  work_by_actor(workers_, "projects restored", plan_.restored, author,
                [&](Client& client, std::size_t project, std::size_t) {
                  as(client, author(project), 204, "DELETE", path(project) + "/withdrawal");
                  world_.projects[project].withdrawn = false;
                });
}

void Campus::sign_in_and_visit() {
  workers_.work(
      "people signed in", plan_.sign_ins.size(),
      [&](Client& client, std::size_t i) {
        const PersonIndex person = plan_.sign_ins[i];
        client.expect(201, {"POST",
                            "/v1/sessions",
                            "",
                            {{"user_id", name(person)}, {"password", password_of(name(person))}},
                            ""});
        award(person, Rules::kSignIn);
      },
      kRegistrars);
  work_by_actor(
      workers_, "profiles visited", plan_.visits, [](const Edge& edge) { return edge.first; },
      [&](Client& client, const Edge& edge, std::size_t) {
        as(client, edge.first, 200, "GET", "/v1/profiles/" + name(edge.second));
        award(edge.second, Rules::kVisited);
        const std::lock_guard lock(world_mutex_);
        ++world_.visits[edge.second];
      });
  workers_.work("people described", plan_.people, [&](Client& client, std::size_t person) {
    const std::string bio = "潮起潮落, " + world_.people[person].real_name;
    as(client, person, 200, "PATCH", "/v1/me", {{"bio", bio}});
    world_.people[person].bio = bio;
  });
}

}  // namespace tideline::demo
