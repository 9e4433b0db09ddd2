// An account as its owner sees it, folded from its stream: always exact, whatever the read models
// have applied.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "accounts/api/ports.hpp"
#include "core/result.hpp"
#include "eventsourcing/commands/command.hpp"
#include "http/messages/message.hpp"

namespace tideline::accounts {

core::Result<eventsourcing::Loaded<Account>> load_account(const ApiPorts& ports,
                                                          const core::AccountId& account);

// The path of the person's avatar, or null.
nlohmann::json avatar_json(const Profile& profile);

// What its owner sees beside the profile.
struct OwnFacts {
  core::Timestamp registered_at;
  bool email_verified = false;
  bool second_factor = false;
  std::size_t recovery_codes = 0;  // that are good
};

OwnFacts own_facts(const ApiPorts& ports, const core::AccountId& account,
                   const Account::State& state);

// {"user_id", "real_name", "email", "email_verified", "second_factor", "sex", "department", "bio",
// "avatar", "shows_visits", "registered_at", "recovery_codes"}
nlohmann::json own_profile(const Profile& profile, const OwnFacts& facts);

// Puts the account as it stands now, with its ETag, into `response`; 404 when it is closed.
http::Response with_own_profile(const ApiPorts& ports, http::Response response,
                                const core::AccountId& account);

}  // namespace tideline::accounts
