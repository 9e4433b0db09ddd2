// Two people and what is between them: strangers, an open request, or contacts.
//
// One stream for both (keys::contact sorts the pair), so that a request and its crossing, or an
// acceptance and a withdrawal, meet on one version. Anyone who asks somebody who has asked him
// already accepts: both want the same.
//
// The limit on contacts is not decided here but by ContactCount, in the same append.
#pragma once

#include <optional>
#include <variant>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Commands
struct RequestContact {
  core::AccountId from;
  core::AccountId to;
  core::Timestamp now{};
  // A request that was declined can be made again after so long.
  core::Timestamp::duration declined_for{};
};
struct AcceptContact {
  core::AccountId by;
  core::AccountId from;
};
struct DeclineContact {
  core::AccountId by;
  core::AccountId from;
  core::Timestamp now{};
};
struct WithdrawContactRequest {
  core::AccountId from;
  core::AccountId to;
};
struct RemoveContact {
  core::AccountId by;
  core::AccountId other;
};
// Whatever stands between them ends, as `by` would end it: what follows from a block, and from the
// closing of his account.
struct EndContact {
  core::AccountId by;
  core::AccountId other;
  core::Timestamp now{};
};

struct ContactPair {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<ContactRequested, ContactAccepted, ContactDeclined,
                             ContactRequestWithdrawn, ContactRemoved>;

  // Strangers have one name for each way in which they became so: the command that brought them
  // there can then be told from one that never had anything to do.
  enum class Phase { Strangers, Requested, Contacts, Declined, Withdrawn, Removed };

  struct State {
    Phase phase = Phase::Strangers;
    core::AccountId from;  // of the latest request
    core::AccountId to;
    bool accepted_before = false;
    std::optional<core::Timestamp> declined_at;  // if the latest request was
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<RequestContact, AcceptContact, DeclineContact,
                               WithdrawContactRequest, RemoveContact, EndContact>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::social_graph
