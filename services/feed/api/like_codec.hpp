// Likes as they are stored. See schemas/events/feed.
#pragma once

#include <optional>

#include "eventsourcing/codec.hpp"
#include "feed/domain/like.hpp"

namespace tideline::feed {

// Thread-safe. Throws eventsourcing::CodecFailed when an event is damaged.
class LikeCodec {
 public:
  eventsourcing::NewEvent encode(const Like::Event& event) const;
  std::optional<Like::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

}  // namespace tideline::feed
