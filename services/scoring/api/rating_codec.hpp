// Events of ratings as they are stored. Stateless, thread-safe.
#pragma once

#include <optional>

#include "eventsourcing/codec.hpp"
#include "scoring/domain/rating.hpp"

namespace tideline::scoring {

struct RatingCodec {
  eventsourcing::NewEvent encode(const Rating::Event& event) const;
  std::optional<Rating::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

}  // namespace tideline::scoring
