#include "feed/domain/notification_reading.hpp"

#include <algorithm>

namespace tideline::feed {

using eventsourcing::Decision;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

NotificationReading::State NotificationReading::evolve(State state, const Event& event) {
  state.up_to = std::max(state.up_to, std::get<NotificationsSeen>(event).up_to);
  return state;
}

Decision<NotificationReading::Event> NotificationReading::decide(const State& state,
                                                                 const Command& command) {
  const auto& mark = std::get<MarkNotificationsSeen>(command);
  // Else everything to come would count as seen, for good.
  if (mark.up_to > mark.now + kClocksDiffer) {
    return Rejection{RejectionKind::Invalid, "not-yet", "that time has not come yet"};
  }
  if (mark.up_to <= state.up_to) return Decision<Event>::nothing();
  return Decision<Event>::of(NotificationsSeen{mark.reader, mark.up_to});
}

}  // namespace tideline::feed
