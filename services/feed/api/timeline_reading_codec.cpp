#include "feed/api/timeline_reading_codec.hpp"

#include "feed/api/own_event.hpp"

namespace tideline::feed {

eventsourcing::NewEvent TimelineReadingCodec::encode(const TimelineReading::Event& event) const {
  const auto& fact = std::get<TimelineSeen>(event);
  return own_event("TimelineSeen",
                   {{"reader", fact.reader.to_string()}, {"up_to", core::to_string(fact.up_to)}});
}

std::optional<TimelineReading::Event> TimelineReadingCodec::decode(
    const eventsourcing::RecordedEvent& recorded) const {
  const auto known = read_own_event(recorded);
  if (!known) return std::nullopt;
  const auto* fact = std::get_if<read::TimelineSeen>(&*known);
  if (fact == nullptr) return std::nullopt;
  return TimelineSeen{fact->reader, fact->up_to};
}

}  // namespace tideline::feed
