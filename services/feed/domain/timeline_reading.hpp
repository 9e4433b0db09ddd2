// Up to where somebody has looked at his timeline: one stream for each reader, which only rises.
#pragma once

#include <chrono>
#include <variant>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

struct MarkTimelineSeen {
  core::AccountId reader;
  core::MomentId up_to;
  core::Timestamp now;
};

struct TimelineReading {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  // By how much the clock of whoever made an id may be ahead.
  static constexpr std::chrono::minutes kClocksDiffer{1};

  using Event = std::variant<TimelineSeen>;
  struct State {
    core::MomentId up_to;  // 0: he has not looked yet
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<MarkTimelineSeen>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
