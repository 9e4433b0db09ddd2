// The codes of an authenticator app that an account has used: each is good once. A stream beside
// the account's, since every sign-in writes to it.
#pragma once

#include <cstdint>
#include <variant>

#include "accounts/domain/rejections.hpp"
#include "accounts/events.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"

namespace tideline::accounts {

struct UseCode {
  core::AccountId account;
  std::int64_t step = 0;  // whose code it is
};

// Its last event is its state.
struct UsedCodes {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<SecondFactorUsed>;
  struct State {
    std::int64_t last_step = -1;
  };
  static State evolve(State state, const Event& event) {
    state.last_step = std::get<SecondFactorUsed>(event).step;
    return state;
  }

  using Command = UseCode;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& wanted) {
    if (wanted.step <= state.last_step) return kSecondFactorRefused;
    return eventsourcing::Decision<Event>::of(SecondFactorUsed{wanted.account, wanted.step});
  }
};

}  // namespace tideline::accounts
