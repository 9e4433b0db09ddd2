#include "demo/verify_references.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <string>

#include "demo/oracle.hpp"

namespace tideline::demo {
namespace {

std::set<std::uint64_t> told_to(Campus& campus, Client& client, PersonIndex person) {
  std::set<std::uint64_t> told;
  std::string after;
  while (true) {
    const Json page =
        campus.as(client, person, 200, "GET", "/v1/notifications?limit=100" + after).json();
    for (const Json& item : page.at("items")) {
      if (item.at("kind") != "mention") continue;
      told.insert(std::stoull(item.at("moment_id").get<std::string>()));
    }
    if (page.at("after").is_null()) return told;
    after = "&after=" + page.at("after").get<std::string>();
  }
}

}  // namespace

std::size_t verify_mentions(WorkerPool& workers, Campus& campus,
                            const std::vector<PersonIndex>& people) {
  const World& world = campus.world();
  std::atomic<std::size_t> mentions{0};
  workers.work("mentions verified", people.size(), [&](Client& client, std::size_t i) {
    std::set<std::uint64_t> expected;
    for (const Moment& moment : world.moments) {
      const bool names = std::ranges::find(moment.mentions, people[i]) != moment.mentions.end();
      if (names && may_see(world, people[i], moment)) expected.insert(moment.id);
    }
    const auto told = told_to(campus, client, people[i]);
    if (told != expected) {
      throw UnexpectedAnswer("mentions of " + world.people[people[i]].user_id + ": expected " +
                             std::to_string(expected.size()) + ", got " +
                             std::to_string(told.size()));
    }
    mentions += told.size();
  });
  return mentions;
}

std::size_t verify_reposts(WorkerPool& workers, Campus& campus,
                           const std::vector<PersonIndex>& people) {
  constexpr std::size_t kRepostsEach = 20;
  const World& world = campus.world();
  std::atomic<std::size_t> reposts{0};
  workers.work("reposts verified", people.size(), [&](Client& client, std::size_t i) {
    std::size_t read = 0;
    for (std::size_t number = 0; number < world.moments.size() && read < kRepostsEach; ++number) {
      const Moment& repost = world.moments[(number + i * 17) % world.moments.size()];
      if (!repost.repost_of || !may_see(world, people[i], repost)) continue;
      const Moment& original = world.moments[*repost.repost_of];
      const std::string path = "/v1/moments/" + std::to_string(repost.id);
      const Json shown =
          campus.as(client, people[i], 200, "GET", path).json().at("repost").at("moment");
      const bool is_right = may_see(world, people[i], original)
                                ? !shown.is_null() && shown.at("content") == original.content
                                : shown.is_null();
      if (!is_right) {
        throw UnexpectedAnswer(path + " for " + world.people[people[i]].user_id + " shows " +
                               shown.dump());
      }
      ++read;
    }
    reposts += read;
  });
  return reposts;
}

}  // namespace tideline::demo
