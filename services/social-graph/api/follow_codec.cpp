#include "social-graph/api/follow_codec.hpp"

#include "social-graph/api/own_event.hpp"

namespace tideline::social_graph {

using eventsourcing::NewEvent;
using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;

NewEvent FollowCodec::encode(const Follow::Event& event) const {
  return std::visit(Overloaded{
                        [&](const Followed& fact) {
                          return own_event("Followed",
                                           {{"follower", fact.follower.to_string()},
                                            {"followee", fact.followee.to_string()},
                                            {"first", fact.first}},
                                           seen);
                        },
                        [](const Unfollowed& fact) {
                          return own_event("Unfollowed", {{"follower", fact.follower.to_string()},
                                                          {"followee", fact.followee.to_string()}});
                        },
                    },
                    event);
}

std::optional<Follow::Event> FollowCodec::decode(const RecordedEvent& recorded) const {
  return read_own_event<Follow>(recorded);
}

}  // namespace tideline::social_graph
