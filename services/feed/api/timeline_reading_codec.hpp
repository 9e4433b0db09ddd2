// Up to where somebody has looked at his timeline, as it is stored. See schemas/events/feed.
#pragma once

#include <optional>

#include "eventsourcing/codec.hpp"
#include "feed/domain/timeline_reading.hpp"

namespace tideline::feed {

// Thread-safe. Throws eventsourcing::CodecFailed when an event is damaged.
class TimelineReadingCodec {
 public:
  eventsourcing::NewEvent encode(const TimelineReading::Event& event) const;
  std::optional<TimelineReading::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

}  // namespace tideline::feed
