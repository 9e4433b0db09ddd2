// The events that scoring consumes, its own and those of its contracts. Pure functions; they throw
// PoisonEvent for broken data.
#pragma once

#include <optional>
#include <variant>

#include "eventsourcing/projections/projection.hpp"
#include "scoring/projections/events_by_hand.hpp"

namespace tideline::scoring {

using Fact =
    std::variant<read::AccountRegistered, read::AccountClosed, read::SignedIn, read::ProfileViewed,
                 read::ContactAccepted, read::Followed, read::ProjectCreated, read::ProjectEdited,
                 read::ProjectWithdrawn, read::ProjectRestored, read::CommentAdded,
                 read::AdviceAdopted, read::VoteCast, read::PointsAdjusted, Rated, RulesChanged,
                 RuleDaysSettled>;

// nullopt: an event that scoring has no use for.
inline std::optional<Fact> read_fact(const eventsourcing::RecordedEvent& recorded) {
  return eventsourcing::read_any<Fact>(recorded);
}

}  // namespace tideline::scoring
