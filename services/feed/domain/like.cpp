#include "feed/domain/like.hpp"

namespace tideline::feed {

using eventsourcing::Decision;
using eventsourcing::Overloaded;

Like::State Like::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const MomentLiked&) { state.standing = true; },
                 [&](const MomentUnliked&) { state.standing = false; },
             },
             event);
  return state;
}

Decision<Like::Event> Like::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const LikeMoment& wanted) {
                          if (state.standing) return Decision<Event>::nothing();
                          return Decision<Event>::of(MomentLiked{wanted.moment, wanted.account,
                                                                 wanted.now, wanted.moment_author});
                        },
                        [&](const UnlikeMoment& wanted) {
                          if (!state.standing) return Decision<Event>::nothing();
                          return Decision<Event>::of(MomentUnliked{wanted.moment, wanted.account});
                        },
                    },
                    command);
}

}  // namespace tideline::feed
