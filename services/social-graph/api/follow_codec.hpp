// Events of a follow, as they are stored. Stateless, thread-safe.
#pragma once

#include <optional>

#include "eventsourcing/event.hpp"
#include "social-graph/domain/follow.hpp"

namespace tideline::social_graph {

struct FollowCodec {
  eventsourcing::NewEvent encode(const Follow::Event& event) const;
  std::optional<Follow::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

}  // namespace tideline::social_graph
