// Up to when somebody has looked at his notifications: one stream for each reader, which only
// rises.
#pragma once

#include <chrono>
#include <variant>

#include "core/clock.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

struct MarkNotificationsSeen {
  core::AccountId reader;
  core::Timestamp up_to;
  core::Timestamp now;
};

struct NotificationReading {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  // By how much the clock of whoever told a time may be ahead.
  static constexpr std::chrono::minutes kClocksDiffer{1};

  using Event = std::variant<NotificationsSeen>;
  struct State {
    core::Timestamp up_to{};  // the beginning of time: he has not looked yet
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<MarkNotificationsSeen>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
