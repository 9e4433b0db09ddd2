#include "demo/verify_references.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include "demo/oracle.hpp"

namespace tideline::demo {

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

std::size_t verify_polls(WorkerPool& workers, Campus& campus,
                         const std::vector<PersonIndex>& people) {
  constexpr std::size_t kPollsEach = 10;
  const World& world = campus.world();
  std::atomic<std::size_t> polls{0};
  workers.work("polls verified", people.size(), [&](Client& client, std::size_t i) {
    for (std::size_t n = 0; n < std::min(kPollsEach, world.polls.size()); ++n) {
      const Poll& poll = world.polls[(i + n) % world.polls.size()];
      const Moment& moment = world.moments[poll.moment];
      if (!may_see(world, people[i], moment)) continue;
      const bool sees = people[i] == moment.author || poll.votes.contains(people[i]);
      std::vector<std::size_t> sums(kPollOptions.size());
      for (const auto& [voter, option] : poll.votes) ++sums[option];
      const std::string path = "/v1/moments/" + std::to_string(moment.id) + "/poll";
      const Json shown = campus.as(client, people[i], 200, "GET", path).json();
      for (std::size_t option = 0; option < sums.size(); ++option) {
        const Json votes = sees ? Json(sums[option]) : Json();
        if (shown.at("options").at(option).at("votes") != votes) {
          throw UnexpectedAnswer(path + " for " + world.people[people[i]].user_id + ": " +
                                 shown.dump());
        }
      }
      ++polls;
    }
  });
  return polls;
}

}  // namespace tideline::demo
