#include "demo/verify.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>

#include "demo/oracle.hpp"

namespace tideline::demo {
namespace {

constexpr std::chrono::seconds kPointsDeadline{30};

struct Entry {
  std::uint64_t id;
  std::string author;
  std::string content;

  friend bool operator==(const Entry&, const Entry&) = default;
};

std::string describe(const Entry& entry) {
  return std::to_string(entry.id) + " (" + entry.author + ": \"" + entry.content + "\")";
}

// Follows the list's cursors to its end.
std::vector<Entry> read_list(Campus& campus, Client& client, PersonIndex viewer,
                             const std::string& target) {
  std::vector<Entry> entries;
  const char join = target.find('?') == std::string::npos ? '?' : '&';
  std::string page = target + join + "limit=100";
  while (true) {
    const Json answer = campus.as(client, viewer, 200, "GET", page).json();
    for (const Json& item : answer.at("items")) {
      entries.push_back({std::stoull(item.at("id").get<std::string>()),
                         item.at("author").at("user_id").get<std::string>(),
                         item.at("content").get<std::string>()});
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
    const Entry wanted{moment.id, world.people[moment.author].user_id, moment.content};
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

  verify_points(workers, campus);
  verified.scores = world.people.size();
  verify_leaderboard(workers.first(), campus);
  verify_calendars(workers, campus, people);
  verify_profiles(workers, campus, people);
  return verified;
}

}  // namespace tideline::demo
