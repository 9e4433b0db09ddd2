// One person follows another, who need not agree.
#pragma once

#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Commands
struct FollowPerson {
  core::AccountId follower;
  core::AccountId followee;
};
struct UnfollowPerson {
  core::AccountId follower;
  core::AccountId followee;
};

struct Follow {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<Followed, Unfollowed>;

  struct State {
    bool following = false;
    bool followed_before = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<FollowPerson, UnfollowPerson>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::social_graph
