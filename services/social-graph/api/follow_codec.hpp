// Events of a follow, as they are stored. Stateless, thread-safe.
#pragma once

#include <optional>
#include <string>

#include "eventsourcing/event.hpp"
#include "social-graph/domain/follow.hpp"

namespace tideline::social_graph {

struct FollowCodec {
  eventsourcing::NewEvent encode(const Follow::Event& event) const;
  std::optional<Follow::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

  std::string seen{};  // by the writer of what is encoded
};

}  // namespace tideline::social_graph
