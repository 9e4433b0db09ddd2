// One person follows another, who need not agree.
#pragma once

#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/decider.hpp"

namespace tideline::social_graph {

// Events
struct Followed {
  core::AccountId follower;
  core::AccountId followee;
  bool first = false;  // of this follower and followee, ever
  friend bool operator==(const Followed&, const Followed&) = default;
};
struct Unfollowed {
  core::AccountId follower;
  core::AccountId followee;
  friend bool operator==(const Unfollowed&, const Unfollowed&) = default;
};

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
