// Carries a plan out through the gateway, and keeps a journal of what was acknowledged.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "demo/plan.hpp"
#include "demo/worker_pool.hpp"
#include "demo/world.hpp"

namespace tideline::demo {

// Points and contributions that the default rules give (services/scoring/README.md).
struct Rules {
  static constexpr int kSignIn = 3;
  static constexpr int kVisited = 1;
  static constexpr int kContact = 5;
  static constexpr int kContactsADay = 200;
  static constexpr int kFollowed = 4;
  static constexpr int kProject = 10;
  static constexpr int kComment = 2;
  static constexpr int kAdviceAdopted = 5;
  static constexpr int kVoteReceived = 2;
  static constexpr int kProjectContribution = 5;
  static constexpr int kCommentContribution = 2;
  static constexpr int kAdviceContribution = 3;
  static constexpr int kVoteContribution = 1;
};

class Campus {
 public:
  // `run` tells this run's people from those of earlier runs: it begins every user_id.
  Campus(WorkerPool& workers, const Graph& graph, const Plan& plan, std::string run);

  void come_together();
  void publish(const std::vector<PlannedMoment>& moments, const std::string& title);
  void change();
  // Returns when every service has applied all that anybody's position token names.
  void wait_until_caught_up();

  const World& world() const { return world_; }
  const std::string& run() const { return run_; }
  // What that moment names by a sign: another one for each run.
  std::string topic(std::size_t moment) const;
  // How long a reader waits for a moment, over `samples` publications one after the other, from the
  // request to the first answer that shows it. Ascending.
  std::vector<std::chrono::microseconds> publish_to_visible(std::size_t samples);

  // Sends as that person: with his token (renewed when it has expired) and his position.
  Reply as(Client& client, PersonIndex person, int status, const std::string& method,
           const std::string& target, Json body = nullptr);

 private:
  void register_everybody();
  void befriend(const std::vector<Edge>& edges, const std::string& title);
  void remark();
  void follow();
  void tag();
  void form_groups();
  void exclude();
  void found_projects();
  void comment_and_vote();
  void advise(Client& client, const PlannedProject& planned, const Project& project);
  void take_projects_back();
  void sign_in_and_visit();
  void unfriend_and_reveal();
  void untag_leave_and_delete();
  void rename_and_hand_over();
  void talk();
  void like();
  void comment_and_answer();
  void mute();
  void change_audiences();
  void bookmark();
  void repost();
  void ask();
  void pin();
  Json audience_of(const PlannedMoment& planned) const;
  std::vector<PersonIndex> mentions_of(PersonIndex author, std::size_t slot) const;
  void publish_one(Client& client, const PlannedMoment& planned, std::size_t slot);
  void award(PersonIndex person, std::int64_t points, std::int64_t contributions = 0);
  void renew(Client& client, Person& person);
  const std::string& name(PersonIndex person) const { return world_.people[person].user_id; }

  WorkerPool& workers_;
  const Plan& plan_;
  std::string run_;
  World world_;
  std::mutex world_mutex_;  // guards world_ while the workers run
};

}  // namespace tideline::demo
