// Up to where somebody has read a group's messages: one stream for each reader and group, which
// only rises.
#pragma once

#include <chrono>
#include <string>
#include <variant>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

struct MarkGroupRead {
  core::AccountId reader;
  std::string group_id;
  MessageKey up_to;
  core::Timestamp now;
};

struct GroupReading {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  // By how much the clock of whoever sent a message may be ahead.
  static constexpr std::chrono::minutes kClocksDiffer{1};

  using Event = std::variant<GroupMessagesRead>;
  struct State {
    MessageKey up_to;  // of 1970: nothing has been read yet
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<MarkGroupRead>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
