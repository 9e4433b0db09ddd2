// Commands on blocks, and what a block forbids. Each blocks on the store.
#pragma once

#include <cstdint>

#include "eventsourcing/commands/command_step.hpp"
#include "social-graph/domain/block.hpp"

namespace tideline::social_graph {

// `me` blocks `other`: in the same append a contact or an open request of the two ends, and both
// follow each other no more. Tags, moment settings and groups stay as they are.
eventsourcing::Changed<Block> block(eventsourcing::CommandSession& session,
                                    const core::AccountId& me, const core::AccountId& other);
// Nothing that the block has ended comes back.
eventsourcing::Changed<Block> unblock(eventsourcing::CommandSession& session,
                                      const core::AccountId& me, const core::AccountId& other);

// Throws Rejected while either of the two has blocked the other: whoever is blocked is answered as
// if nobody had that user_id. Asserts that it stays so until the command's append.
void refuse_blocked(eventsourcing::CommandSession& session, const core::AccountId& me,
                    const core::AccountId& other);

}  // namespace tideline::social_graph
