// An operator's correction of somebody's points: the one fact that scoring itself owns. One stream
// an adjustment, with one event; a correction of a correction is a further one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "scoring/events.hpp"

namespace tideline::scoring {

// Commands
struct AdjustPoints {
  core::AccountId account_id;
  std::int64_t delta = 0;
  std::string reason;
  core::AccountId operator_id;
};

struct Adjustment {
  static constexpr std::uint32_t kEventsMax = 1;  // made

  // Of one adjustment, either way.
  static constexpr std::int64_t kDeltaMax = 1'000'000'000;

  using Event = std::variant<PointsAdjusted>;

  struct State {
    std::optional<PointsAdjusted> made;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<AdjustPoints>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::scoring
