// Which account an e-mail address belongs to, as a step of a command.
#pragma once

#include <optional>

#include "accounts/domain/account.hpp"
#include "core/ids.hpp"
#include "eventsourcing/commands/command.hpp"

namespace tideline::accounts {

// The account has `next` from now on and leaves `before` to others. Throws Rejected where `next` is
// another's.
void move_claim(eventsourcing::CommandSession& session, const core::AccountId& account,
                const std::optional<VerifyEmail>& before,
                const std::optional<core::AccountId>& next);

}  // namespace tideline::accounts
