#include "demo/campus.hpp"

#include <algorithm>
#include <array>
#include <thread>

namespace tideline::demo {
namespace {

// Hashing passwords is slow on purpose; more hands would only wait and be turned away.
constexpr std::size_t kRegistrars = 4;
constexpr std::array kDepartments = {"Mathematics", "Physics",   "Biology", "History",
                                     "Chemistry",   "Computing", "Music",   ""};

const char* name_of(Audience audience) {
  switch (audience) {
    case Audience::Public:
      return "public";
    case Audience::Private:
      return "private";
    case Audience::PartlyVisible:
      return "partly-visible";
    case Audience::PartlyInvisible:
      return "partly-invisible";
  }
  return "";
}

std::string password_of(const std::string& user_id) { return "tideline-" + user_id; }

}  // namespace

Campus::Campus(Crew& crew, const Graph& graph, const Plan& plan, std::string run)
    : crew_(crew), plan_(plan), run_(std::move(run)) {
  const std::size_t people = plan.people;
  world_.people.resize(people);
  for (PersonIndex i = 0; i < people; ++i) {
    world_.people[i].user_id = run_ + "-" + graph.names[i];
    world_.people[i].real_name = "Student " + graph.names[i];
    world_.people[i].department = kDepartments[i % kDepartments.size()];
  }
  world_.contacts.resize(people);
  world_.following.resize(people);
  world_.hides.resize(people);
  world_.hidden_from.resize(people);
  world_.points.resize(people);
  world_.contributions.resize(people);
}

void Campus::renew(Client& client, Person& person) {
  const Reply reply = client.expect(
      200, {"POST", "/v1/sessions/refresh", "", {{"refresh_token", person.refresh_token}}, ""});
  const Json session = reply.json();
  const std::lock_guard lock(books_);
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
    throw Surprise(person.user_id + ": " + method + " " + target + " answered " +
                   std::to_string(reply.status) + " instead of " + std::to_string(status) + ": " +
                   reply.body);
  }
  if (!reply.position.empty()) person.position = reply.position;
  return reply;
}

void Campus::award(PersonIndex person, std::int64_t points, std::int64_t contributions) {
  const std::lock_guard lock(books_);
  world_.points[person] += points;
  world_.contributions[person] += contributions;
}

template <class Item, class ActorOf, class Act>
void Campus::by_actor(const std::string& title, const std::vector<Item>& items, ActorOf actor_of,
                      Act act) {
  std::map<PersonIndex, std::vector<std::size_t>> by_person;
  for (std::size_t i = 0; i < items.size(); ++i) by_person[actor_of(items[i])].push_back(i);
  std::vector<std::vector<std::size_t>> lanes;
  for (auto& [actor, numbers] : by_person) lanes.push_back(std::move(numbers));
  // The longest first, so that nobody's long list is begun when the others are done.
  std::stable_sort(lanes.begin(), lanes.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  crew_.work(
      title, lanes.size(),
      [&](Client& client, std::size_t lane) {
        for (const std::size_t number : lanes[lane]) {
          act(client, items[number], number);
          crew_.step();
        }
      },
      0, items.size());
}

void Campus::come_together() {
  register_everybody();
  settle();
  befriend(plan_.contacts, "contacts");
  follow();
  tag();
  form_groups();
  exclude();
  found_projects();
  comment_and_vote();
  sign_in_and_visit();
}

void Campus::register_everybody() {
  crew_.work(
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
  by_actor(
      title + " asked for", edges, [](const Edge& edge) { return edge.first; },
      [&](Client& client, const Edge& edge, std::size_t) {
        as(client, edge.first, 201, "POST", "/v1/contact-requests",
           {{"user_id", name(edge.second)}});
      });
  by_actor(
      title + " accepted", edges, [](const Edge& edge) { return edge.second; },
      [&](Client& client, const Edge& edge, std::size_t) {
        as(client, edge.second, 200, "POST",
           "/v1/contact-requests/" + name(edge.first) + "/accept");
        const std::lock_guard lock(books_);
        world_.contacts[edge.first].insert(edge.second);
        world_.contacts[edge.second].insert(edge.first);
        world_.points[edge.first] += Rules::kContact;
        world_.points[edge.second] += Rules::kContact;
      });
}

void Campus::follow() {
  by_actor(
      "follows", plan_.follows, [](const Edge& edge) { return edge.first; },
      [&](Client& client, const Edge& edge, std::size_t) {
        as(client, edge.first, 200, "PUT", "/v1/follows/" + name(edge.second));
        award(edge.second, Rules::kFollowed);
        const std::lock_guard lock(books_);
        world_.following[edge.first].insert(edge.second);
      });
}

void Campus::tag() {
  world_.tags.resize(plan_.tags.size());
  by_actor(
      "tags with their people", plan_.tags, [](const PlannedTag& t) { return t.owner; },
      [&](Client& client, const PlannedTag& planned, std::size_t number) {
        const Reply reply = as(client, planned.owner, 201, "POST", "/v1/tags",
                               {{"name", "tag " + std::to_string(number)}});
        Tag made{reply.json().at("id").get<std::string>(), planned.owner, {}};
        for (const PersonIndex person : planned.people) {
          as(client, planned.owner, 200, "PUT",
             "/v1/tags/" + made.id + "/contacts/" + name(person));
          made.people.insert(person);
        }
        const std::lock_guard lock(books_);
        world_.tags[number] = std::move(made);
      });
}

void Campus::form_groups() {
  world_.groups.resize(plan_.groups.size());
  by_actor(
      "groups", plan_.groups, [](const PlannedGroup& g) { return g.creator; },
      [&](Client& client, const PlannedGroup& planned, std::size_t number) {
        const Reply reply =
            as(client, planned.creator, 201, "POST", "/v1/groups",
               {{"name", "group " + std::to_string(number)}, {"private", planned.is_private}});
        Group made{reply.json().at("id").get<std::string>(), planned.creator, {}, false};
        made.members.insert(planned.creator);
        if (planned.is_private) {
          for (const PersonIndex member : planned.members) {
            as(client, planned.creator, 201, "POST", "/v1/groups/" + made.id + "/invitations",
               {{"user_id", name(member)}});
          }
        }
        const std::lock_guard lock(books_);
        world_.groups[number] = std::move(made);
      });
  std::vector<std::pair<std::size_t, PersonIndex>> joins;
  for (std::size_t group = 0; group < plan_.groups.size(); ++group) {
    for (const PersonIndex member : plan_.groups[group].members) joins.emplace_back(group, member);
  }
  by_actor(
      "group members", joins, [](const auto& join) { return join.second; },
      [&](Client& client, const auto& join, std::size_t) {
        as(client, join.second, 201, "POST",
           "/v1/groups/" + world_.groups[join.first].id + "/members");
        const std::lock_guard lock(books_);
        world_.groups[join.first].members.insert(join.second);
      });
}

void Campus::exclude() {
  const auto set = [&](Client& client, const Edge& edge, bool hides, bool hidden) {
    as(client, edge.first, 200, "PUT", "/v1/moment-settings/" + name(edge.second),
       {{"hides_other", hides}, {"hidden_from_other", hidden}});
    const std::lock_guard lock(books_);
    if (hides) world_.hides[edge.first].insert(edge.second);
    if (hidden) world_.hidden_from[edge.first].insert(edge.second);
  };
  const auto owner = [](const Edge& edge) { return edge.first; };
  by_actor("people not to be seen", plan_.hides, owner,
           [&](Client& client, const Edge& edge, std::size_t) { set(client, edge, true, false); });
  by_actor("people who must not see", plan_.hidden_from, owner,
           [&](Client& client, const Edge& edge, std::size_t) { set(client, edge, false, true); });
}

void Campus::found_projects() {
  world_.projects.resize(plan_.projects.size());
  by_actor(
      "projects", plan_.projects, [](const PlannedProject& p) { return p.author; },
      [&](Client& client, const PlannedProject& planned, std::size_t number) {
        const Reply reply = as(client, planned.author, 201, "POST", "/v1/projects",
                               {{"name", "Project " + std::to_string(number)},
                                {"introduction", "What " + name(planned.author) + " builds"},
                                {"labels", {"campus", "label-" + std::to_string(number % 7)}},
                                {"link", nullptr}});
        const std::string id = reply.json().at("id").get<std::string>();
        as(client, planned.author, 201, "POST", "/v1/projects/" + id + "/voting");
        award(planned.author, Rules::kProject, Rules::kProjectContribution);
        const std::lock_guard lock(books_);
        world_.projects[number] = {id, planned.author, 0, {}};
      });
}

void Campus::comment_and_vote() {
  // Comment ids are counted within a project, so one hand writes all comments of a project.
  crew_.work("projects discussed and voted on", plan_.projects.size(),
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
               for (const PersonIndex voter : planned.voters) {
                 client.expect(
                     200, {"PUT", path + "/vote", world_.people[voter].access_token, nullptr, ""});
                 award(planned.author, Rules::kVoteReceived);
                 award(voter, 0, Rules::kVoteContribution);
                 project.voters.insert(voter);
               }
             });
}

void Campus::sign_in_and_visit() {
  crew_.work(
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
  by_actor(
      "profiles visited", plan_.visits, [](const Edge& edge) { return edge.first; },
      [&](Client& client, const Edge& edge, std::size_t) {
        as(client, edge.first, 200, "GET", "/v1/profiles/" + name(edge.second));
        award(edge.second, Rules::kVisited);
      });
}

void Campus::publish(const std::vector<PlannedMoment>& moments, const std::string& title) {
  const std::size_t first = world_.moments.size();
  world_.moments.resize(first + moments.size());
  by_actor(
      title, moments, [](const PlannedMoment& moment) { return moment.author; },
      [&](Client& client, const PlannedMoment& planned, std::size_t number) {
        publish_one(client, planned, first + number);
      });
}

void Campus::publish_one(Client& client, const PlannedMoment& planned, std::size_t slot) {
  Moment moment{0,
                planned.author,
                planned.audience,
                planned.users,
                planned.tags,
                planned.groups,
                "Moment " + std::to_string(slot) + " of " + name(planned.author),
                false};
  auto users = Json::array();
  auto tags = Json::array();
  auto groups = Json::array();
  for (const PersonIndex user : planned.users) users.push_back(name(user));
  for (const std::size_t tag : planned.tags) tags.push_back(world_.tags[tag].id);
  for (const std::size_t group : planned.groups) groups.push_back(world_.groups[group].id);
  const Reply reply = as(client, planned.author, 201, "POST", "/v1/moments",
                         {{"content", moment.content},
                          {"audience", name_of(planned.audience)},
                          {"user_ids", users},
                          {"tag_ids", tags},
                          {"group_ids", groups}});
  moment.id = std::stoull(reply.json().at("id").get<std::string>());
  const std::lock_guard lock(books_);
  world_.moments[slot] = std::move(moment);
}

void Campus::change() {
  befriend(plan_.late_contacts, "late contacts");
  unfriend_and_reveal();
  untag_leave_and_delete();
}

void Campus::unfriend_and_reveal() {
  const auto actor = [](const Edge& edge) { return edge.first; };
  by_actor("contacts removed", plan_.unfriended, actor,
           [&](Client& client, const Edge& edge, std::size_t) {
             as(client, edge.first, 204, "DELETE", "/v1/contacts/" + name(edge.second));
             const std::lock_guard lock(books_);
             world_.contacts[edge.first].erase(edge.second);
             world_.contacts[edge.second].erase(edge.first);
           });
  by_actor("people to be seen again", plan_.unhidden, actor,
           [&](Client& client, const Edge& edge, std::size_t) {
             as(client, edge.first, 200, "PUT", "/v1/moment-settings/" + name(edge.second),
                {{"hides_other", false}, {"hidden_from_other", false}});
             const std::lock_guard lock(books_);
             world_.hides[edge.first].erase(edge.second);
           });
  by_actor("follows ended", plan_.unfollowed, actor,
           [&](Client& client, const Edge& edge, std::size_t) {
             as(client, edge.first, 204, "DELETE", "/v1/follows/" + name(edge.second));
             const std::lock_guard lock(books_);
             world_.following[edge.first].erase(edge.second);
           });
}

void Campus::untag_leave_and_delete() {
  by_actor(
      "tags taken off", plan_.untagged,
      [&](const auto& item) { return world_.tags[item.first].owner; },
      [&](Client& client, const auto& item, std::size_t) {
        Tag& tag = world_.tags[item.first];
        as(client, tag.owner, 204, "DELETE",
           "/v1/tags/" + tag.id + "/contacts/" + name(item.second));
        const std::lock_guard lock(books_);
        tag.people.erase(item.second);
      });
  by_actor(
      "groups left", plan_.left, [](const auto& item) { return item.second; },
      [&](Client& client, const auto& item, std::size_t) {
        Group& group = world_.groups[item.first];
        as(client, item.second, 204, "DELETE", "/v1/groups/" + group.id + "/members/me");
        const std::lock_guard lock(books_);
        group.members.erase(item.second);
      });
  by_actor(
      "groups dissolved", plan_.dissolved,
      [&](std::size_t group) { return world_.groups[group].creator; },
      [&](Client& client, std::size_t number, std::size_t) {
        Group& group = world_.groups[number];
        as(client, group.creator, 204, "DELETE", "/v1/groups/" + group.id);
        const std::lock_guard lock(books_);
        group.dissolved = true;
      });
  by_actor(
      "moments deleted", plan_.deleted,
      [&](std::size_t moment) { return world_.moments[moment].author; },
      [&](Client& client, std::size_t number, std::size_t) {
        Moment& moment = world_.moments[number];
        as(client, moment.author, 204, "DELETE", "/v1/moments/" + std::to_string(moment.id));
        const std::lock_guard lock(books_);
        moment.deleted = true;
      });
}

void Campus::settle() {
  // Whoever sends his token is answered from read models that have applied it; an answer that came
  // too early is asked for again.
  const std::array<std::string, 4> everywhere = {"/v1/contacts?limit=1", "/v1/timeline?limit=1",
                                                 "/v1/points/me", "/v1/projects?limit=1&author="};
  crew_.work("people caught up with", plan_.people, [&](Client& client, std::size_t person) {
    for (const std::string& target : everywhere) {
      const std::string whole = target.ends_with('=') ? target + name(person) : target;
      Reply reply = as(client, person, 200, "GET", whole);
      for (int attempt = 0; reply.stale && attempt < 30; ++attempt) {
        reply = as(client, person, 200, "GET", whole);
      }
      if (reply.stale) throw Surprise(whole + " is still stale after 30 tries");
    }
  });
}

std::vector<std::chrono::microseconds> Campus::publish_to_visible(std::size_t samples) {
  std::vector<std::chrono::microseconds> waits;
  crew_.work(
      "moments timed from author to reader", samples,
      [&](Client& client, std::size_t sample) {
        // Only an author whose contact is free to see him tells how long the way is.
        for (PersonIndex offset = 0; offset < plan_.people; ++offset) {
          const PersonIndex author = (sample * 37 + offset) % plan_.people;
          const auto& contacts = world_.contacts[author];
          const auto reader =
              std::find_if(contacts.begin(), contacts.end(), [&](PersonIndex other) {
                return !world_.hides[other].contains(author) &&
                       !world_.hidden_from[author].contains(other);
              });
          if (reader == contacts.end()) continue;
          const std::size_t slot = world_.moments.size();
          world_.moments.emplace_back();
          const auto start = std::chrono::steady_clock::now();
          publish_one(client, {author, Audience::Public, {}, {}, {}}, slot);
          const std::string id = std::to_string(world_.moments[slot].id);
          const auto give_up = start + std::chrono::seconds(30);
          while (true) {
            // Without a position token: as somebody who does not know that there is anything new.
            const Reply reply = client.expect(
                200,
                {"GET", "/v1/timeline?limit=1", world_.people[*reader].access_token, nullptr, ""});
            const Json items = reply.json().at("items");
            if (!items.empty() && items[0].at("id") == id) break;
            if (std::chrono::steady_clock::now() > give_up) {
              throw Surprise("moment " + id + " of " + name(author) + " did not reach " +
                             name(*reader) + " in 30 s");
            }
          }
          waits.push_back(std::chrono::duration_cast<std::chrono::microseconds>(
              std::chrono::steady_clock::now() - start));
          return;
        }
      },
      1);
  std::sort(waits.begin(), waits.end());
  return waits;
}

}  // namespace tideline::demo
