#include "feed/domain/message_reading.hpp"

#include <algorithm>

namespace tideline::feed {

using eventsourcing::Decision;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

MessageReading::State MessageReading::evolve(State state, const Event&) { return state; }

Decision<MessageReading::Event> MessageReading::decide(const State&, const Command& command) {
  auto [reader, messages] = std::get<MarkAsRead>(command);
  if (messages.empty()) return Decision<Event>::nothing();
  std::sort(messages.begin(), messages.end());
  messages.erase(std::unique(messages.begin(), messages.end()), messages.end());
  if (messages.size() > kMessagesMax) {
    return Rejection{RejectionKind::Invalid, "too-many-messages",
                     "at most 1000 messages are marked at once"};
  }
  return Decision<Event>::of(MessagesRead{reader, std::move(messages)});
}

}  // namespace tideline::feed
