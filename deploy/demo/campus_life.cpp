#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <iterator>

#include "demo/campus.hpp"
#include "demo/oracle.hpp"
#include "demo/work_by_actor.hpp"

namespace tideline::demo {
namespace {

constexpr std::size_t kBookmarksEach = 4;

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

// As a body of a request says a time.
std::string in_a_day() {
  const std::time_t then = std::time(nullptr) + 86'400;
  std::array<char, 40> text{};
  std::tm parts{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S.000000Z", gmtime_r(&then, &parts));
  return text.data();
}

}  // namespace

void Campus::publish(const std::vector<PlannedMoment>& moments, const std::string& title) {
  const std::size_t first = world_.moments.size();
  world_.moments.resize(first + moments.size());
  work_by_actor(
      workers_, title, moments, [](const PlannedMoment& moment) { return moment.author; },
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
                "Moment " + std::to_string(slot) + " of " + name(planned.author) + ": " +
                    kTopics[slot % kTopics.size()] + " #" + topic(slot),
                false};
  Json body = audience_of(planned);
  body["content"] = moment.content;
  moment.mentions = mentions_of(planned.author, slot);
  for (const PersonIndex mentioned : moment.mentions) body["mentions"].push_back(name(mentioned));
  const Reply reply = as(client, planned.author, 201, "POST", "/v1/moments", body);
  moment.id = std::stoull(reply.json().at("id").get<std::string>());
  const std::lock_guard lock(world_mutex_);
  world_.moments[slot] = std::move(moment);
}

// In some moments a contact of the author's, whether he may see it or not.
std::vector<PersonIndex> Campus::mentions_of(PersonIndex author, std::size_t slot) const {
  const auto& contacts = world_.contacts[author];
  if (contacts.empty() || slot % 3 != 0) return {};
  return {*std::next(contacts.begin(), static_cast<std::ptrdiff_t>(slot / 3 % contacts.size()))};
}

Json Campus::audience_of(const PlannedMoment& planned) const {
  auto users = Json::array();
  auto tags = Json::array();
  auto groups = Json::array();
  for (const PersonIndex user : planned.users) users.push_back(name(user));
  for (const std::size_t tag : planned.tags) tags.push_back(world_.tags[tag].id);
  for (const std::size_t group : planned.groups) groups.push_back(world_.groups[group].id);
  return {{"audience", name_of(planned.audience)},
          {"user_ids", users},
          {"tag_ids", tags},
          {"group_ids", groups}};
}

void Campus::change() {
  repost();
  ask();
  bookmark();
  pin();
  like();
  comment_and_answer();
  mute();
  talk();
  befriend(plan_.late_contacts, "late contacts");
  unfriend_and_reveal();
  untag_leave_and_delete();
  rename_and_hand_over();
  change_audiences();
  take_projects_back();
}

std::string Campus::topic(std::size_t moment) const {
  std::string name = kTopics[moment % kTopics.size()] + "_";
  std::copy_if(run_.begin(), run_.end(), std::back_inserter(name),
               [](unsigned char letter) { return std::isalnum(letter) != 0; });
  return name;
}

// Each a public moment that he may see, before they change; without words of his own.
void Campus::repost() {
  const std::size_t before = world_.moments.size();
  std::vector<Moment> reposts;
  for (PersonIndex person = 0; person < plan_.people && before > 0; ++person) {
    const std::size_t number = person * 7 % before;
    const Moment& original = world_.moments[number];
    if (original.audience != Audience::Public || !may_see(world_, person, original)) continue;
    reposts.push_back({0, person, Audience::Public, {}, {}, {}, "", false, {}, number});
  }
  work_by_actor(
      workers_, "moments reposted", reposts, [](const Moment& repost) { return repost.author; },
      [&](Client& client, const Moment& planned, std::size_t number) {
        const Json body{{"repost_of", std::to_string(world_.moments[*planned.repost_of].id)},
                        {"audience", "public"}};
        const Reply reply = as(client, planned.author, 201, "POST", "/v1/moments", body);
        reposts[number].id = std::stoull(reply.json().at("id").get<std::string>());
      });
  world_.moments.insert(world_.moments.end(), reposts.begin(), reposts.end());
}

// Some ask a question in public, and others answer: one vote each.
void Campus::ask() {
  constexpr std::size_t kVotersOfEach = 4;
  std::vector<Moment> asked;
  for (PersonIndex person = 0; person < plan_.people; person += 5) {
    asked.push_back(
        {0, person, Audience::Public, {}, {}, {}, "When does " + name(person) + " swim?"});
  }
  const std::string closes_at = in_a_day();
  work_by_actor(
      workers_, "polls opened", asked, [](const Moment& moment) { return moment.author; },
      [&](Client& client, const Moment& planned, std::size_t number) {
        const Json body{{"content", planned.content},
                        {"audience", "public"},
                        {"poll", {{"options", kPollOptions}, {"closes_at", closes_at}}}};
        const Reply reply = as(client, planned.author, 201, "POST", "/v1/moments", body);
        asked[number].id = std::stoull(reply.json().at("id").get<std::string>());
      });
  std::vector<Edge> votes;  // voter, poll
  for (const Moment& moment : asked) {
    world_.polls.push_back({world_.moments.size()});
    world_.moments.push_back(moment);
    for (std::size_t i = 1; i <= kVotersOfEach; ++i) {
      const PersonIndex voter = (moment.author + i * 13) % plan_.people;
      auto& known = world_.polls.back().votes;
      if (voter == moment.author || !may_see(world_, voter, moment)) continue;
      if (known.emplace(voter, (voter + i) % kPollOptions.size()).second) {
        votes.emplace_back(voter, world_.polls.size() - 1);
      }
    }
  }
  wait_until_caught_up();
  work_by_actor(
      workers_, "votes in polls", votes, [](const Edge& vote) { return vote.first; },
      [&](Client& client, const Edge& vote, std::size_t) {
        const Poll& poll = world_.polls[vote.second];
        as(client, vote.first, 204, "PUT",
           "/v1/moments/" + std::to_string(world_.moments[poll.moment].id) + "/poll/vote",
           {{"choices", {std::to_string(poll.votes.at(vote.first) + 1)}}});
      });
}

// Each author one of his moments, before they change.
void Campus::pin() {
  world_.pinned.assign(plan_.people, std::nullopt);
  for (std::size_t number = 0; number < world_.moments.size(); number += 3) {
    world_.pinned[world_.moments[number].author] = number;
  }
  workers_.work("moments pinned", plan_.people, [&](Client& client, std::size_t person) {
    const auto pinned = world_.pinned[person];
    if (!pinned) return;
    as(client, person, 204, "PUT",
       "/v1/moments/" + std::to_string(world_.moments[*pinned].id) + "/pin");
  });
}

// Each some moments of the own timeline, before they change; the last bookmark is removed again.
void Campus::bookmark() {
  world_.bookmarks.resize(plan_.people);
  workers_.work("moments bookmarked", plan_.people, [&](Client& client, std::size_t person) {
    auto& bookmarks = world_.bookmarks[person];
    const auto timeline = timeline_of(world_, person);
    const auto path = [&](std::size_t number) {
      return "/v1/moments/" + std::to_string(world_.moments[number].id) + "/bookmark";
    };
    for (std::size_t i = 0; i < std::min(timeline.size(), kBookmarksEach); ++i) {
      const auto number = static_cast<std::size_t>(timeline[i] - world_.moments.data());
      as(client, person, 204, "PUT", path(number));
      bookmarks.insert(bookmarks.begin(), number);
    }
    if (bookmarks.size() < kBookmarksEach) return;
    as(client, person, 204, "DELETE", path(bookmarks.front()));
    bookmarks.erase(bookmarks.begin());
  });
}

// One message to each group, which its members read, and one that is taken back.
void Campus::talk() {
  work_by_actor(
      workers_, "groups spoken to", world_.groups, [](const Group& group) { return group.creator; },
      [&](Client& client, const Group& planned, std::size_t number) {
        const auto say = [&](const std::string& text) {
          const Json body{{"group_id", planned.id}, {"text", text}};
          return as(client, planned.creator, 201, "POST", "/v1/messages", body)
              .json()
              .at("key")
              .get<std::string>();
        };
        const std::string said = say("Welcome");
        as(client, planned.creator, 204, "DELETE", "/v1/messages/" + say("Sorry"));
        const std::lock_guard lock(world_mutex_);
        world_.groups[number].said = said;
      });
}

void Campus::change_audiences() {
  work_by_actor(
      workers_, "audiences changed", plan_.changed,
      [](const auto& item) { return item.second.author; },
      [&](Client& client, const auto& item, std::size_t) {
        const auto& [number, planned] = item;
        Moment& moment = world_.moments[number];
        as(client, planned.author, 204, "PUT",
           "/v1/moments/" + std::to_string(moment.id) + "/audience", audience_of(planned));
        const std::lock_guard lock(world_mutex_);
        moment.audience = planned.audience;
        moment.users = planned.users;
        moment.tags = planned.tags;
        moment.groups = planned.groups;
      });
}

void Campus::rename_and_hand_over() {
  work_by_actor(
      workers_, "groups renamed", plan_.renamed,
      [&](std::size_t group) { return world_.groups[group].creator; },
      [&](Client& client, std::size_t number, std::size_t) {
        Group& group = world_.groups[number];
        const std::string title = "renamed " + std::to_string(number);
        as(client, group.creator, 204, "PUT", "/v1/groups/" + group.id + "/name",
           {{"name", title}});
        const std::lock_guard lock(world_mutex_);
        group.name = title;
      });
  work_by_actor(
      workers_, "groups handed over", plan_.handed,
      [&](const auto& item) { return world_.groups[item.first].creator; },
      [&](Client& client, const auto& item, std::size_t) {
        Group& group = world_.groups[item.first];
        as(client, group.creator, 204, "PUT", "/v1/groups/" + group.id + "/creator",
           {{"user_id", name(item.second)}});
        const std::lock_guard lock(world_mutex_);
        group.creator = item.second;
      });
}

void Campus::unfriend_and_reveal() {
  const auto actor = [](const Edge& edge) { return edge.first; };
  work_by_actor(workers_, "contacts removed", plan_.unfriended, actor,
                [&](Client& client, const Edge& edge, std::size_t) {
                  as(client, edge.first, 204, "DELETE", "/v1/contacts/" + name(edge.second));
                  const std::lock_guard lock(world_mutex_);
                  world_.contacts[edge.first].erase(edge.second);
                  world_.contacts[edge.second].erase(edge.first);
                  world_.remarks.erase(edge);
                  world_.remarks.erase({edge.second, edge.first});
                });
  work_by_actor(workers_, "people to be seen again", plan_.unhidden, actor,
                [&](Client& client, const Edge& edge, std::size_t) {
                  as(client, edge.first, 200, "PUT", "/v1/moment-settings/" + name(edge.second),
                     {{"hides_other", false}, {"hidden_from_other", false}});
                  const std::lock_guard lock(world_mutex_);
                  world_.hides[edge.first].erase(edge.second);
                });
  work_by_actor(workers_, "follows ended", plan_.unfollowed, actor,
                [&](Client& client, const Edge& edge, std::size_t) {
                  as(client, edge.first, 204, "DELETE", "/v1/follows/" + name(edge.second));
                  const std::lock_guard lock(world_mutex_);
                  world_.following[edge.first].erase(edge.second);
                });
}

void Campus::untag_leave_and_delete() {
  work_by_actor(
      workers_, "tags taken off", plan_.untagged,
      [&](const auto& item) { return world_.tags[item.first].owner; },
      [&](Client& client, const auto& item, std::size_t) {
        Tag& tag = world_.tags[item.first];
        as(client, tag.owner, 204, "DELETE",
           "/v1/tags/" + tag.id + "/contacts/" + name(item.second));
        const std::lock_guard lock(world_mutex_);
        tag.people.erase(item.second);
      });
  work_by_actor(
      workers_, "groups left", plan_.left, [](const auto& item) { return item.second; },
      [&](Client& client, const auto& item, std::size_t) {
        Group& group = world_.groups[item.first];
        as(client, item.second, 204, "DELETE", "/v1/groups/" + group.id + "/members/me");
        const std::lock_guard lock(world_mutex_);
        group.members.erase(item.second);
      });
  work_by_actor(
      workers_, "groups dissolved", plan_.dissolved,
      [&](std::size_t group) { return world_.groups[group].creator; },
      [&](Client& client, std::size_t number, std::size_t) {
        Group& group = world_.groups[number];
        as(client, group.creator, 204, "DELETE", "/v1/groups/" + group.id);
        const std::lock_guard lock(world_mutex_);
        group.dissolved = true;
      });
  work_by_actor(
      workers_, "moments deleted", plan_.deleted,
      [&](std::size_t moment) { return world_.moments[moment].author; },
      [&](Client& client, std::size_t number, std::size_t) {
        Moment& moment = world_.moments[number];
        as(client, moment.author, 204, "DELETE", "/v1/moments/" + std::to_string(moment.id));
        const std::lock_guard lock(world_mutex_);
        moment.deleted = true;
      });
}

void Campus::wait_until_caught_up() {
  // Whoever sends his token is answered from read models that have applied it; an answer that came
  // too early is asked for again.
  const std::array<std::string, 4> everywhere = {"/v1/contacts?limit=1", "/v1/timeline?limit=1",
                                                 "/v1/points/me", "/v1/projects?limit=1&author="};
  workers_.work("people caught up with", plan_.people, [&](Client& client, std::size_t person) {
    for (const std::string& target : everywhere) {
      const std::string whole = target.ends_with('=') ? target + name(person) : target;
      Reply reply = as(client, person, 200, "GET", whole);
      for (int attempt = 0; reply.stale && attempt < 30; ++attempt) {
        reply = as(client, person, 200, "GET", whole);
      }
      if (reply.stale) throw UnexpectedAnswer(whole + " is still stale after 30 tries");
    }
  });
}

std::vector<std::chrono::microseconds> Campus::publish_to_visible(std::size_t samples) {
  std::vector<std::chrono::microseconds> waits;
  workers_.work(
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
              throw UnexpectedAnswer("moment " + id + " of " + name(author) + " did not reach " +
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
