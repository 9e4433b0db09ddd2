// The sessions of an account that go on, as its owner sees them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "accounts/api/ports.hpp"
#include "accounts/domain/account.hpp"
#include "core/ids.hpp"

namespace tideline::accounts {

// Newest first, each {"id", "opened_at", "expires_at", "client", "current"}; read from streams, so
// always as they stand now. `current`: the session of who asks.
nlohmann::json open_sessions(const ApiPorts& ports, const core::AccountId& account,
                             const Account::State& state, const std::string& current);

}  // namespace tideline::accounts
