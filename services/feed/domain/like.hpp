// That somebody likes a moment: given, taken back, given again. Whether he may see the moment is
// asked before.
#pragma once

#include <variant>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

// Commands
struct LikeMoment {
  core::MomentId moment;
  core::AccountId moment_author;
  core::AccountId account;
  core::Timestamp now;
};
struct UnlikeMoment {
  core::MomentId moment;
  core::AccountId account;
};

struct Like {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<MomentLiked, MomentUnliked>;
  struct State {
    bool standing = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<LikeMoment, UnlikeMoment>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
