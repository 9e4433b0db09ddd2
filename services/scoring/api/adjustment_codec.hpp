// Events of adjustments as they are stored. Stateless, thread-safe.
#pragma once

#include <optional>

#include "eventsourcing/codec.hpp"
#include "scoring/domain/adjustment.hpp"

namespace tideline::scoring {

struct AdjustmentCodec {
  eventsourcing::NewEvent encode(const Adjustment::Event& event) const;
  std::optional<Adjustment::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

}  // namespace tideline::scoring
