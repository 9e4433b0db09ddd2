// Whether a personal message may be sent, and as what: to a contact, or to somebody who has
// accepted the sender's messages, as it is; to others as a request.
//
// Thread-safe. Blocks on the store.
#pragma once

#include "eventsourcing/commands/command_step.hpp"
#include "feed/api/ports.hpp"
#include "http/messages/problem.hpp"

namespace tideline::feed {

// Across a block there is nobody: refuses.
void refuse_blocked(const ApiPorts& ports, const core::AccountId& sender,
                    const core::AccountId& recipient);

// Of a message to somebody who is no contact: whether it is a request. Stages what follows of it,
// and that whoever writes accepts what is written back. Throws Rejected where the recipient takes
// no such messages, or has enough of them.
bool admit_to_stranger(eventsourcing::CommandSession& session, const core::AccountId& sender,
                       const core::AccountId& recipient);

}  // namespace tideline::feed
