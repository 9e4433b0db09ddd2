// Of what somebody does not want to be told: kinds, people, and what happens under moments. Every
// event carries the whole state.
#pragma once

#include <cstddef>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

// Commands
struct MuteNotifications {
  NotificationsMuted mutes;  // in any order; repeats are left out
};

struct NotificationMutes {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  static constexpr std::size_t kPersonsMax = 250;
  static constexpr std::size_t kMomentsMax = 250;

  using Event = std::variant<NotificationsMuted>;
  struct State {
    NotificationsMuted mutes;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<MuteNotifications>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
