// An e-mail address, known by its keyed hash: one account at a time has it. One stream for each.
#pragma once

#include <optional>
#include <variant>

#include "accounts/events.hpp"
#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"

namespace tideline::accounts {

// Commands
struct ClaimAddress {
  core::AccountId address;
  core::AccountId account;
};
// Nothing, where it is somebody else's.
struct ReleaseAddress {
  core::AccountId address;
  core::AccountId account;
};

// Each event says the whole state: read the last one.
struct Address {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<AddressClaimed, AddressReleased>;
  struct State {
    std::optional<core::AccountId> owner;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<ClaimAddress, ReleaseAddress>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

// Whether somebody has put a user_id on the list of those who may register, and with which address.
struct Enrol {
  core::AccountId account;
  core::AccountId address;
};

struct Enrolment {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<Enrolled>;
  struct State {
    std::optional<core::AccountId> address;
  };
  static State evolve(State state, const Event& event);

  using Command = Enrol;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::accounts
