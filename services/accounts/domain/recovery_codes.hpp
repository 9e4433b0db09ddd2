// Codes for who has lost the authenticator app, or the password together with the mailbox: drawn in
// one go, each good once. A stream beside the account's. Only their hashes are here.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "accounts/domain/rejections.hpp"
#include "accounts/events.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"

namespace tideline::accounts {

// Those of before are no good any more.
struct DrawRecoveryCodes {
  core::AccountId account;
  std::vector<std::string> code_hashes;
};
struct UseRecoveryCode {
  core::AccountId account;
  std::string code_hash;
};

// Its last event is its state.
struct RecoveryCodes {
  static constexpr std::size_t kCodes = 10;
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<RecoveryCodesChanged>;
  struct State {
    std::vector<std::string> code_hashes;
  };
  static State evolve(State state, const Event& event) {
    state.code_hashes = std::get<RecoveryCodesChanged>(event).code_hashes;
    return state;
  }

  using Command = std::variant<DrawRecoveryCodes, UseRecoveryCode>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::accounts
