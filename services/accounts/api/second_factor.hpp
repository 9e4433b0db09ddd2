// The code of an authenticator app that comes with a password, or a recovery code in its place.
#pragma once

#include <string_view>

#include "accounts/api/ports.hpp"
#include "accounts/domain/account.hpp"
#include "core/ids.hpp"
#include "eventsourcing/commands/command.hpp"

namespace tideline::accounts {

// As a step of a command, where the password was right: nothing for an account without a second
// factor. `code`: "" = none came. Throws Rejected, and refuses with 429 where too many were wrong.
void check_second_factor(const ApiPorts& ports, eventsourcing::CommandSession& session,
                         const core::AccountId& account, const Account::State& state,
                         std::string_view code);

}  // namespace tideline::accounts
