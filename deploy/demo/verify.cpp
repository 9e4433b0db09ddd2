#include "demo/verify.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>

#include "demo/documents.hpp"
#include "demo/notifications.hpp"
#include "demo/oracle.hpp"
#include "demo/pictures.hpp"
#include "demo/verify_references.hpp"

namespace tideline::demo {
namespace {

constexpr std::chrono::seconds kPointsDeadline{30};

struct Entry {
  std::uint64_t id;
  std::string author;
  std::string content;
  std::string mentions{};

  friend bool operator==(const Entry&, const Entry&) = default;
};

std::string describe(const Entry& entry) {
  return std::to_string(entry.id) + " (" + entry.author + ": \"" + entry.content + "\", mentions " +
         entry.mentions + ")";
}

Entry entry_of(const Json& item) {
  std::string mentions;
  for (const Json& person : item.at("mentions")) {
    mentions += person.at("user_id").get<std::string>() + " ";
  }
  return {std::stoull(item.at("id").get<std::string>()),
          item.at("author").at("user_id").get<std::string>(), item.at("content").get<std::string>(),
          mentions};
}

// Follows the list's cursors to its end.
std::vector<Entry> read_list(Campus& campus, Client& client, PersonIndex viewer,
                             const std::string& target) {
  std::vector<Entry> entries;
  const char join = target.find('?') == std::string::npos ? '?' : '&';
  std::string page = target + join + "limit=100";
  while (true) {
    const Json answer = campus.as(client, viewer, 200, "GET", page).json();
    for (const Json& listed : answer.at("items")) {
      entries.push_back(entry_of(listed.contains("moment") ? listed.at("moment") : listed));
    }
    if (answer.at("after").is_null()) return entries;
    page = target + join + "limit=100&after=" + answer.at("after").get<std::string>();
  }
}

void compare(const World& world, const std::string& what,
             const std::vector<const Moment*>& expected, const std::vector<Entry>& got) {
  for (std::size_t i = 0; i < std::max(expected.size(), got.size()); ++i) {
    const std::string place = what + ", entry " + std::to_string(i + 1) + ": ";
    if (i >= got.size()) {
      throw UnexpectedAnswer(place + "missing moment " + std::to_string(expected[i]->id) + " of " +
                             world.people[expected[i]->author].user_id +
                             "; the list ends before it");
    }
    if (i >= expected.size())
      throw UnexpectedAnswer(place + "must not be there: " + describe(got[i]));
    const Moment& moment = *expected[i];
    Entry wanted{moment.id, world.people[moment.author].user_id, moment.content};
    for (const PersonIndex mentioned : moment.mentions) {
      wanted.mentions += world.people[mentioned].user_id + " ";
    }
    if (!(got[i] == wanted)) {
      throw UnexpectedAnswer(place + "expected " + describe(wanted) + ", got " + describe(got[i]));
    }
  }
}

std::vector<PersonIndex> choose(const World& world, std::size_t sample, std::size_t top,
                                std::uint64_t seed) {
  std::vector<PersonIndex> everybody(world.people.size());
  std::iota(everybody.begin(), everybody.end(), PersonIndex{0});
  std::vector<PersonIndex> best = everybody;
  std::stable_sort(best.begin(), best.end(), [&](PersonIndex a, PersonIndex b) {
    return world.contacts[a].size() > world.contacts[b].size();
  });
  best.resize(std::min(top, best.size()));
  std::shuffle(everybody.begin(), everybody.end(), std::mt19937_64(seed));
  everybody.resize(std::min(sample, everybody.size()));
  for (const PersonIndex person : best) {
    if (std::find(everybody.begin(), everybody.end(), person) == everybody.end()) {
      everybody.push_back(person);
    }
  }
  return everybody;
}

void verify_points(WorkerPool& workers, Campus& campus) {
  const World& world = campus.world();
  workers.work("scores verified", world.people.size(), [&](Client& client, std::size_t person) {
    const auto give_up = std::chrono::steady_clock::now() + kPointsDeadline;
    while (true) {
      const Json answer = campus.as(client, person, 200, "GET", "/v1/points/me").json();
      const auto points = answer.at("points").get<std::int64_t>();
      if (points == world.points[person]) return;
      // What others have done for him may arrive a little later; more than is due never may.
      if (points > world.points[person] || std::chrono::steady_clock::now() > give_up) {
        throw UnexpectedAnswer("points of " + world.people[person].user_id + ": expected " +
                               std::to_string(world.points[person]) + ", got " +
                               std::to_string(points));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
}

// The leaderboard's order, and the points of those on it who are of this run.
void verify_leaderboard(Client& client, Campus& campus) {
  const World& world = campus.world();
  std::map<std::string, std::int64_t> points_by_name;
  for (PersonIndex i = 0; i < world.people.size(); ++i) {
    points_by_name[world.people[i].user_id] = world.points[i];
  }
  const Json answer = campus.as(client, 0, 200, "GET", "/v1/leaderboard?limit=100").json();
  std::int64_t above = INT64_MAX;
  for (const Json& item : answer.at("items")) {
    const auto points = item.at("points").get<std::int64_t>();
    if (points > above) throw UnexpectedAnswer("the leaderboard is out of order: " + answer.dump());
    above = points;
    const Json user = item.at("user").at("user_id");
    const auto known = points_by_name.find(user.is_null() ? "" : user.get<std::string>());
    if (known != points_by_name.end() && known->second != points) {
      throw UnexpectedAnswer("the leaderboard gives " + known->first + " " +
                             std::to_string(points) + " points instead of " +
                             std::to_string(known->second));
    }
  }
}

void verify_calendars(WorkerPool& workers, Campus& campus, const std::vector<PersonIndex>& people) {
  const World& world = campus.world();
  workers.work("calendars verified", people.size(), [&](Client& client, std::size_t i) {
    const PersonIndex person = people[i];
    const Json answer =
        campus.as(client, person, 200, "GET", "/v1/calendars/" + world.people[person].user_id)
            .json();
    std::int64_t sum = 0;
    for (const Json& month : answer.at("months")) {
      for (const Json& day : month.at("days")) sum += day.at("contributions").get<std::int64_t>();
    }
    // All of this run happened within the last 30 days, also when it began in another year.
    const auto recent = answer.at("currentscore").get<std::int64_t>();
    if (recent != world.contributions[person] || sum > recent) {
      throw UnexpectedAnswer("contributions of " + world.people[person].user_id + ": expected " +
                             std::to_string(world.contributions[person]) + ", got " +
                             answer.dump());
    }
  });
}

// One's own profile, by both of its addresses: what others have done may arrive a little later.
void verify_profiles(WorkerPool& workers, Campus& campus, const std::vector<PersonIndex>& people) {
  const World& world = campus.world();
  workers.work("profiles verified", people.size() * 2, [&](Client& client, std::size_t i) {
    const PersonIndex person = people[i / 2];
    const Person& who = world.people[person];
    const std::string path = i % 2 == 0 ? "/v1/me" : "/v1/profiles/" + who.user_id;
    const auto give_up = std::chrono::steady_clock::now() + kPointsDeadline;
    while (true) {
      const Json shown = campus.as(client, person, 200, "GET", path).json();
      if (shown.at("bio") == who.bio && shown.at("points") == world.points[person] &&
          shown.at("visits").at("total") == world.visits[person]) {
        return;
      }
      if (std::chrono::steady_clock::now() > give_up) {
        throw UnexpectedAnswer(
            path + " of " + who.user_id + ": expected " + std::to_string(world.points[person]) +
            " points and " + std::to_string(world.visits[person]) + " visits, got " + shown.dump());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
}

// Contacts with what they are called, what two people have in common, and counts of follows.
void verify_people(WorkerPool& workers, Campus& campus, const std::vector<PersonIndex>& people) {
  const World& world = campus.world();
  workers.work("relations verified", people.size(), [&](Client& client, std::size_t i) {
    const PersonIndex me = people[i];
    const PersonIndex other = (me + 1 + i) % world.people.size();
    if (other == me) return;
    std::int64_t mutual = 0;
    for (const PersonIndex third : world.contacts[me]) {
      mutual += world.contacts[other].contains(third) ? 1 : 0;
    }
    const auto remark = world.remarks.find({me, other});
    const Json expected{
        {"contact", world.contacts[me].contains(other) ? "contact" : "none"},
        {"follows", world.following[me].contains(other)},
        {"followed_by", world.following[other].contains(me)},
        {"mutual_contact_count", mutual},
        {"remark", remark == world.remarks.end() ? Json(nullptr) : Json(remark->second)}};
    const Json answer =
        campus
            .as(client, me, 200, "GET", "/v1/contacts/" + world.people[other].user_id + "/relation")
            .json();
    for (const auto& [field, value] : expected.items()) {
      if (answer.at(field) == value) continue;
      throw UnexpectedAnswer("relation of " + world.people[me].user_id + " and " +
                             world.people[other].user_id + ": expected " + field + " " +
                             value.dump() + ", got " + answer.dump());
    }
    std::int64_t followers = 0;
    for (const auto& followed : world.following) followers += followed.contains(me) ? 1 : 0;
    const Json counts = campus.as(client, me, 200, "GET", "/v1/follows/me").json();
    if (counts.at("follower_count") != followers ||
        counts.at("following_count") != std::ssize(world.following[me])) {
      throw UnexpectedAnswer("follows of " + world.people[me].user_id + ": expected " +
                             std::to_string(followers) + " followers, got " + counts.dump());
    }
  });
  for (const auto& [edge, called] : world.remarks) {
    const std::string path = "/v1/contacts/" + world.people[edge.second].user_id + "/relation";
    const Json answer = campus.as(workers.first(), edge.first, 200, "GET", path).json();
    if (answer.at("remark") != called) {
      throw UnexpectedAnswer("remark: expected " + called + ", got " + answer.dump());
    }
  }
}

void verify_groups(WorkerPool& workers, Campus& campus) {
  const World& world = campus.world();
  workers.work("groups verified", world.groups.size(), [&](Client& client, std::size_t number) {
    const Group& group = world.groups[number];
    const std::string path = "/v1/groups/" + group.id;
    const int status = group.dissolved ? 404 : 200;
    const Json answer = campus.as(client, group.creator, status, "GET", path).json();
    if (group.dissolved) return;
    const std::string& creator = world.people[group.creator].user_id;
    if (answer.at("name") != group.name || answer.at("creator").at("user_id") != creator ||
        answer.at("member_count") != std::ssize(group.members)) {
      throw UnexpectedAnswer(path + ": expected " + group.name + " of " + creator + " with " +
                             std::to_string(group.members.size()) + " members, got " +
                             answer.dump());
    }
  });
}

// Each member reads what was said to all, and the place of what was taken back; others read
// nothing.
void verify_group_messages(WorkerPool& workers, Campus& campus) {
  const World& world = campus.world();
  workers.work(
      "groups' messages verified", world.groups.size(), [&](Client& client, std::size_t number) {
        const Group& group = world.groups[number];
        const std::string path = "/v1/messages/groups/" + group.id;
        const PersonIndex outsider = (group.creator + 1 + number) % world.people.size();
        std::set<PersonIndex> readers = group.members;
        readers.insert(outsider);
        for (const PersonIndex reader : readers) {
          const bool reads = !group.dissolved && group.members.contains(reader);
          const Json answer = campus.as(client, reader, reads ? 200 : 404, "GET", path).json();
          if (!reads) continue;
          const Json& items = answer.at("items");
          if (items.size() == 2 && items[0].at("recalled") && items[0].at("text").is_null() &&
              items[1].at("key") == group.said && items[1].at("text") == "Welcome") {
            continue;
          }
          throw UnexpectedAnswer(path + " as " + world.people[reader].user_id + ": " +
                                 answer.dump());
        }
      });
}

// For a query of a URL: every byte as %XX.
std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string target;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    target.append({'%', kDigits[byte / 16], kDigits[byte % 16]});
  }
  return target;
}

// Whether the reader finds the project by the author's id, which its introduction holds.
bool finds_project(Client& client, Campus& campus, PersonIndex reader, const Project& project) {
  const std::string& author = campus.world().people[project.author].user_id;
  const std::string path =
      "/v1/projects?limit=100&author=" + author + "&query=" + escaped("what " + author);
  const Json answer = campus.as(client, reader, 200, "GET", path).json();
  const Json& items = answer.at("items");
  return std::any_of(items.begin(), items.end(),
                     [&](const Json& item) { return item.at("id") == project.id; });
}

// A withdrawn project is there for its author alone, and a removed comment is a place.
void verify_projects(WorkerPool& workers, Campus& campus) {
  const World& world = campus.world();
  workers.work("projects verified", world.projects.size(), [&](Client& client, std::size_t number) {
    const Project& project = world.projects[number];
    const std::string path = "/v1/projects/" + project.id;
    const PersonIndex reader = (project.author + 1) % world.people.size();
    campus.as(client, reader, project.withdrawn ? 404 : 200, "GET", path);
    if (finds_project(client, campus, reader, project) == project.withdrawn ||
        !finds_project(client, campus, project.author, project)) {
      throw UnexpectedAnswer("a search of projects: " + project.id);
    }
    const Json shown = campus.as(client, project.author, 200, "GET", path).json();
    const Json comments =
        campus.as(client, project.author, 200, "GET", path + "/comments?limit=100").json();
    bool places = comments.at("items").size() == project.comments;
    for (const Json& comment : comments.at("items")) {
      const bool removed = project.removed.contains(comment.at("id").get<std::size_t>());
      places =
          places && comment.at("removed") == removed && comment.at("text").is_null() == removed;
    }
    if (!places || shown.at("withdrawn") != project.withdrawn ||
        shown.at("comment_count") != project.comments - project.removed.size() ||
        shown.at("votes").at("tally") != project.voters.size()) {
      throw UnexpectedAnswer(path + ": " + shown.dump() + " with " + comments.dump());
    }
  });
}

// Those of this run among the newest of all.
void verify_newest_projects(Client& client, Campus& campus) {
  std::set<std::string> listed;
  std::string page = "/v1/projects?order=newest&limit=100";
  const std::string first = page;
  for (;;) {
    const Json answer = campus.as(client, 0, 200, "GET", page).json();
    for (const Json& item : answer.at("items")) listed.insert(item.at("id").get<std::string>());
    if (answer.at("after").is_null()) break;
    page = first + "&after=" + answer.at("after").get<std::string>();
  }
  for (const Project& project : campus.world().projects) {
    if (listed.contains(project.id) == project.withdrawn) {
      throw UnexpectedAnswer("the newest projects: " + project.id +
                             (project.withdrawn ? " is withdrawn" : " is missing"));
    }
  }
}

// A topic among the moments of this run's people, whose names its texts hold.
std::size_t verify_search(WorkerPool& workers, Campus& campus,
                          const std::vector<PersonIndex>& people) {
  const World& world = campus.world();
  workers.work("searches verified", people.size(), [&](Client& client, std::size_t i) {
    const std::string& topic = kTopics[i % kTopics.size()];
    const auto got = read_list(campus, client, people[i],
                               "/v1/moments/search?query=" + escaped(campus.run() + " " + topic));
    compare(world, "search of " + world.people[people[i]].user_id + " for " + topic,
            search_of(world, ": " + topic, people[i]), got);
  });
  return people.size();
}

// Whom a topic's page shows which moments of this run.
std::size_t verify_topics(WorkerPool& workers, Campus& campus,
                          const std::vector<PersonIndex>& people) {
  const World& world = campus.world();
  workers.work("topics verified", people.size(), [&](Client& client, std::size_t i) {
    const std::string topic = campus.topic(i);
    const auto got =
        read_list(campus, client, people[i], "/v1/moments/topic?name=" + escaped(topic));
    compare(world, "topic " + topic + " for " + world.people[people[i]].user_id,
            search_of(world, "#" + topic, people[i]), got);
  });
  return people.size();
}

// What each page shows first to somebody else.
void verify_pinned(WorkerPool& workers, Campus& campus, const std::vector<PersonIndex>& people) {
  const World& world = campus.world();
  workers.work("pinned moments verified", people.size(), [&](Client& client, std::size_t i) {
    const PersonIndex author = (people[i] + i) % world.people.size();
    const std::string path = "/v1/moments/pinned?author=" + world.people[author].user_id;
    const Json shown = campus.as(client, people[i], 200, "GET", path).json().at("moment");
    std::vector<Entry> got;
    if (!shown.is_null()) got.push_back(entry_of(shown));
    std::vector<const Moment*> expected;
    const auto& pinned = world.pinned[author];
    if (pinned && may_see(world, people[i], world.moments[*pinned])) {
      expected.push_back(&world.moments[*pinned]);
    }
    compare(world, path + " for " + world.people[people[i]].user_id, expected, got);
  });
}

// Whoever else is called by what the query begins; each name is a word of its own.
void verify_people_search(WorkerPool& workers, Campus& campus,
                          const std::vector<PersonIndex>& people) {
  const World& world = campus.world();
  workers.work("searches of people verified", people.size(), [&](Client& client, std::size_t i) {
    const std::string& wanted = world.people[(people[i] + i) % world.people.size()].user_id;
    std::set<std::string> expected;
    for (const Person& person : world.people) {
      if (person.user_id.starts_with(wanted)) expected.insert(person.user_id);
    }
    expected.erase(world.people[people[i]].user_id);
    const std::string query = "/v1/people?limit=100&query=" + escaped(wanted);
    std::set<std::string> found;
    std::string page = query;
    while (true) {
      const Json answer = campus.as(client, people[i], 200, "GET", page).json();
      for (const Json& item : answer.at("items")) found.insert(item.at("user_id"));
      if (answer.at("after").is_null()) break;
      page = query + "&after=" + answer.at("after").get<std::string>();
    }
    if (found == expected) return;
    throw UnexpectedAnswer(query + ": found " + Json(found).dump() + " instead of " +
                           Json(expected).dump());
  });
}

std::size_t verify_bookmarks(WorkerPool& workers, Campus& campus,
                             const std::vector<PersonIndex>& people) {
  const World& world = campus.world();
  std::atomic<std::size_t> entries{0};
  workers.work("bookmarks verified", people.size(), [&](Client& client, std::size_t i) {
    const auto got = read_list(campus, client, people[i], "/v1/moments/bookmarks");
    compare(world, "bookmarks of " + world.people[people[i]].user_id,
            bookmarks_of(world, people[i]), got);
    entries += got.size();
  });
  return entries;
}

}  // namespace

Verified verify(WorkerPool& workers, Campus& campus, std::size_t sample, std::size_t top,
                std::uint64_t seed) {
  const World& world = campus.world();
  const std::vector<PersonIndex> people = choose(world, sample, top, seed);
  Verified verified;
  std::atomic<std::size_t> entries{0};
  workers.work("timelines verified", people.size(), [&](Client& client, std::size_t i) {
    const PersonIndex viewer = people[i];
    const auto got = read_list(campus, client, viewer, "/v1/timeline");
    compare(world, "timeline of " + world.people[viewer].user_id, timeline_of(world, viewer), got);
    entries += got.size();
  });
  verified.timelines = people.size();
  verified.timeline_entries = entries;

  workers.work("author pages verified", people.size(), [&](Client& client, std::size_t i) {
    const PersonIndex viewer = people[i];
    // A contact's page where there is one, else a stranger's.
    const auto& contacts = world.contacts[viewer];
    const PersonIndex author =
        contacts.empty() || i % 4 == 0 ? (viewer + i) % world.people.size() : *contacts.begin();
    const auto got =
        read_list(campus, client, viewer, "/v1/moments?author=" + world.people[author].user_id);
    compare(world,
            "page of " + world.people[author].user_id + " for " + world.people[viewer].user_id,
            page_of(world, author, viewer), got);
  });
  verified.pages_of_authors = people.size();

  verified.searches = verify_search(workers, campus, people);
  verified.topics = verify_topics(workers, campus, people);
  verify_pinned(workers, campus, people);
  verified.bookmarks = verify_bookmarks(workers, campus, people);
  verified.notifications = verify_notifications(workers, campus, people);
  verify_people_search(workers, campus, people);
  verified.reposts = verify_reposts(workers, campus, people);
  verified.polls = verify_polls(workers, campus, people);
  verify_points(workers, campus);
  verified.scores = world.people.size();
  verify_leaderboard(workers.first(), campus);
  verify_calendars(workers, campus, people);
  verify_profiles(workers, campus, people);
  verify_people(workers, campus, people);
  verify_groups(workers, campus);
  verify_group_messages(workers, campus);
  verify_large_document(workers.first(), campus);
  verified.pictures = verify_pictures(workers, campus);
  verify_projects(workers, campus);
  verify_newest_projects(workers.first(), campus);
  return verified;
}

}  // namespace tideline::demo
