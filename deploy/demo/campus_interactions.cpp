// What people do under moments before much changes: some of it must not be told later.
#include <algorithm>

#include "demo/campus.hpp"
#include "demo/oracle.hpp"
#include "demo/work_by_actor.hpp"

namespace tideline::demo {
namespace {

constexpr std::size_t kLikesEach = 3;

std::string path_of(const Moment& moment) { return "/v1/moments/" + std::to_string(moment.id); }

// The newest moments of others on that person's timeline.
std::vector<std::size_t> of_others(const World& world, PersonIndex person, std::size_t count) {
  std::vector<std::size_t> numbers;
  for (const Moment* moment : timeline_of(world, person)) {
    if (numbers.size() == count) break;
    if (moment->author == person) continue;
    numbers.push_back(static_cast<std::size_t>(moment - world.moments.data()));
  }
  return numbers;
}

}  // namespace

// The last like is taken back again.
void Campus::like() {
  workers_.work("moments liked", plan_.people, [&](Client& client, std::size_t person) {
    const auto numbers = of_others(world_, person, kLikesEach);
    for (const std::size_t number : numbers) {
      as(client, person, 204, "PUT", path_of(world_.moments[number]) + "/like");
    }
    const bool regrets = numbers.size() == kLikesEach;
    if (regrets)
      as(client, person, 204, "DELETE", path_of(world_.moments[numbers.back()]) + "/like");
    const std::lock_guard lock(world_mutex_);
    for (const std::size_t number : numbers) {
      if (!regrets || number != numbers.back()) world_.likes.emplace(number, person);
    }
  });
}

// Each comments on one moment; its author answers contacts, and every fifth comment is deleted.
void Campus::comment_and_answer() {
  const auto write = [&](Client& client, Comment comment) {
    const Moment& moment = world_.moments[comment.moment];
    Json body{{"text", "Under it"}};
    if (comment.answers) body["parent_id"] = world_.comments[*comment.answers].id;
    comment.id = as(client, comment.author, 201, "POST", path_of(moment) + "/comments", body)
                     .json()
                     .at("id")
                     .get<std::string>();
    return comment;
  };
  workers_.work("moments commented on", plan_.people, [&](Client& client, std::size_t person) {
    for (const std::size_t number : of_others(world_, person, 1)) {
      Comment written = write(client, {"", number, person, std::nullopt});
      const std::lock_guard lock(world_mutex_);
      world_.comments.push_back(std::move(written));
    }
  });
  std::vector<Comment> answers;
  std::vector<std::string> positions;  // what each author must have seen
  for (std::size_t i = 0; i < world_.comments.size(); ++i) {
    const Comment& comment = world_.comments[i];
    const PersonIndex author = world_.moments[comment.moment].author;
    if (!world_.contacts[author].contains(comment.author)) continue;
    answers.push_back({"", comment.moment, author, i});
    positions.push_back(world_.people[comment.author].position);
  }
  std::vector<Comment> written(answers.size());
  work_by_actor(
      workers_, "comments answered", answers, [](const Comment& answer) { return answer.author; },
      [&](Client& client, const Comment& answer, std::size_t number) {
        world_.people[answer.author].position = positions[number];
        written[number] = write(client, answer);
      });
  world_.comments.insert(world_.comments.end(), written.begin(), written.end());
  std::vector<std::size_t> regretted;
  for (std::size_t i = 0; i < world_.comments.size(); i += 5) regretted.push_back(i);
  work_by_actor(
      workers_, "comments deleted", regretted,
      [&](std::size_t number) { return world_.comments[number].author; },
      [&](Client& client, std::size_t number, std::size_t) {
        Comment& comment = world_.comments[number];
        as(client, comment.author, 204, "DELETE",
           path_of(world_.moments[comment.moment]) + "/comments/" + comment.id);
        comment.deleted = true;
      });
}

// Every seventh does not want to be told of follows, nor of one contact.
void Campus::mute() {
  std::vector<PersonIndex> quiet;
  for (PersonIndex person = 0; person < plan_.people; person += 7) {
    if (world_.contacts[person].empty()) continue;
    quiet.push_back(person);
    world_.mutes[person] = {true, {*world_.contacts[person].begin()}};
  }
  work_by_actor(
      workers_, "notifications muted", quiet, [](PersonIndex person) { return person; },
      [&](Client& client, PersonIndex person, std::size_t) {
        as(client, person, 204, "PUT", "/v1/notifications/mutes",
           {{"kinds", {"follow"}},
            {"user_ids", {name(*world_.mutes[person].people.begin())}},
            {"moment_ids", Json::array()}});
      });
}

}  // namespace tideline::demo
