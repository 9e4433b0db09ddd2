#include "feed/domain/group_reading.hpp"

#include <algorithm>

namespace tideline::feed {

using eventsourcing::Decision;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

GroupReading::State GroupReading::evolve(State state, const Event& event) {
  state.up_to = std::max(state.up_to, std::get<GroupMessagesRead>(event).up_to);
  return state;
}

Decision<GroupReading::Event> GroupReading::decide(const State& state, const Command& command) {
  const auto& mark = std::get<MarkGroupRead>(command);
  // Else everything to come would count as read, for good.
  if (mark.up_to.sent_at > mark.now + kClocksDiffer) {
    return Rejection{RejectionKind::Invalid, "not-yet", "no message has this key yet"};
  }
  if (mark.up_to <= state.up_to) return Decision<Event>::nothing();
  return Decision<Event>::of(GroupMessagesRead{mark.reader, mark.group_id, mark.up_to});
}

}  // namespace tideline::feed
