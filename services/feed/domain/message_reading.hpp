// Somebody has read messages of his Inbox. One stream a call, by reader and time: what has been
// read stays read, so the order of calls says nothing.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "feed/domain/message.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

// Unread ones of the reader's Inbox; of none nothing comes.
struct MarkAsRead {
  core::AccountId reader;
  std::vector<MessageKey> messages;
};

struct MessageReading {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  static constexpr std::size_t kMessagesMax = 1000;

  using Event = std::variant<MessagesRead>;
  struct State {};
  static State evolve(State state, const Event& event);

  using Command = std::variant<MarkAsRead>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
