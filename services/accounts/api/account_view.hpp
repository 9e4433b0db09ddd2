// An account as its owner sees it, folded from its stream: always exact, whatever the read models
// have applied.
#pragma once

#include <nlohmann/json.hpp>

#include "accounts/api/ports.hpp"
#include "core/result.hpp"
#include "eventsourcing/commands/command.hpp"
#include "http/messages/message.hpp"

namespace tideline::accounts {

core::Result<eventsourcing::Loaded<Account>> load_account(const ApiPorts& ports,
                                                          const core::AccountId& account);

// {"user_id", "real_name", "email", "email_verified", "second_factor", "sex", "department",
// "registered_at"}
nlohmann::json own_profile(const Profile& profile, core::Timestamp registered_at,
                           bool email_verified, bool second_factor);

// Puts the account as it stands now, with its ETag, into `response`; 404 when it is closed.
http::Response with_own_profile(const ApiPorts& ports, http::Response response,
                                const core::AccountId& account);

}  // namespace tideline::accounts
