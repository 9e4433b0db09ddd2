// Whom a moment or a comment mentions: in commands by user_id, in answers as people.
//
// Thread-safe. require_mentionable() blocks on the database.
#pragma once

#include <vector>

#include "eventsourcing/commands/command.hpp"
#include "feed/api/ports.hpp"
#include "http/messages/json.hpp"

namespace tideline::feed {

// Of the member "mentions"; each person once, in their order.
std::vector<core::AccountId> read_mentions(const ApiPorts& ports, http::FieldReader& fields);

// 404 "no-such-person" unless all of them have registered and have not blocked the caller; 409
// "person-blocked" where the caller has blocked one.
void require_mentionable(const ApiPorts& ports, const http::Request& request,
                         const std::vector<core::AccountId>& mentions);

// Counts it in the command's append if one of `addressed` is no contact of the author's. Rejects
// what is too much for one day.
void count_addressing(const ApiPorts& ports, eventsourcing::CommandSession& session,
                      const core::AccountId& author, const std::vector<core::AccountId>& addressed);

}  // namespace tideline::feed
