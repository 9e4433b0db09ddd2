// What table follow answers. It reads one partition, that of `owner`. Blocks on the database;
// throws TransactionFailed.
#pragma once

#include "social-graph/projections/follow_model.hpp"
#include "social-graph/projections/keyset.hpp"

namespace tideline::social_graph {

// Whom `owner` follows or who follows him, newest first.
Slice<PersonSince> list_follows(eventsourcing::Transaction& transaction,
                                const core::AccountId& owner, FollowDirection direction,
                                const Window<core::AccountId>& window);

}  // namespace tideline::social_graph
