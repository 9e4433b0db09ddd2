#include "social-graph/domain/follow.hpp"

#include "social-graph/domain/rejections.hpp"

namespace tideline::social_graph {

using eventsourcing::Decision;
using eventsourcing::Overloaded;

Follow::State Follow::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const Followed&) { state = {.following = true, .followed_before = true}; },
                 [&](const Unfollowed&) { state.following = false; },
             },
             event);
  return state;
}

Decision<Follow::Event> Follow::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const FollowPerson& wanted) -> Decision<Event> {
                          if (wanted.follower == wanted.followee) return kOneself;
                          if (state.following) return Decision<Event>::nothing();
                          return Decision<Event>::of(
                              Followed{wanted.follower, wanted.followee, !state.followed_before});
                        },
                        [&](const UnfollowPerson& wanted) {
                          if (!state.following) return Decision<Event>::nothing();
                          return Decision<Event>::of(Unfollowed{wanted.follower, wanted.followee});
                        },
                    },
                    command);
}

}  // namespace tideline::social_graph
