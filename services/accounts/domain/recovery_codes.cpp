#include "accounts/domain/recovery_codes.hpp"

#include <utility>

namespace tideline::accounts {

using eventsourcing::Decision;

Decision<RecoveryCodes::Event> RecoveryCodes::decide(const State& state, const Command& command) {
  return std::visit(
      eventsourcing::Overloaded{
          [](const DrawRecoveryCodes& wanted) {
            return Decision<Event>::of(RecoveryCodesChanged{wanted.account, wanted.code_hashes});
          },
          [&](const UseRecoveryCode& wanted) -> Decision<Event> {
            std::vector<std::string> left = state.code_hashes;
            if (std::erase(left, wanted.code_hash) == 0) return kRecoveryCodeRefused;
            return Decision<Event>::of(RecoveryCodesChanged{wanted.account, std::move(left)});
          },
      },
      command);
}

}  // namespace tideline::accounts
