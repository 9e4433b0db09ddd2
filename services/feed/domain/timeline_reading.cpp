#include "feed/domain/timeline_reading.hpp"

#include <algorithm>

namespace tideline::feed {

using eventsourcing::Decision;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

TimelineReading::State TimelineReading::evolve(State state, const Event& event) {
  state.up_to = std::max(state.up_to, std::get<TimelineSeen>(event).up_to);
  return state;
}

Decision<TimelineReading::Event> TimelineReading::decide(const State& state,
                                                         const Command& command) {
  const auto& mark = std::get<MarkTimelineSeen>(command);
  // Else everything to come would count as seen, for good.
  if (core::time_of(mark.up_to) > mark.now + kClocksDiffer) {
    return Rejection{RejectionKind::Invalid, "not-yet", "no moment has this id yet"};
  }
  if (mark.up_to <= state.up_to) return Decision<Event>::nothing();
  return Decision<Event>::of(TimelineSeen{mark.reader, mark.up_to});
}

}  // namespace tideline::feed
