// Recovery codes as people write them down, and as a step of commands.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "accounts/api/ports.hpp"
#include "accounts/domain/recovery_codes.hpp"
#include "core/ids.hpp"
#include "core/random.hpp"
#include "eventsourcing/commands/command.hpp"

namespace tideline::accounts {

// RecoveryCodes::kCodes of them, 80 random bits each: "abcd-efgh-ijkl-mnop". So many bits need no
// slow hash.
std::vector<std::string> new_recovery_codes(core::Random& random);
// Whether it may be one, in either case, with the hyphens or without.
bool looks_like_recovery_code(std::string_view text);

// In the append of the command. Drawn ones take the place of all that there were. An unknown one
// throws Rejected.
void stage_recovery_codes(eventsourcing::CommandSession& session, const core::AccountId& account,
                          const std::vector<std::string>& codes);
void use_recovery_code(eventsourcing::CommandSession& session, const core::AccountId& account,
                       std::string_view code);

// How many are good.
std::size_t count_recovery_codes(const ApiPorts& ports, const core::AccountId& account);

}  // namespace tideline::accounts
