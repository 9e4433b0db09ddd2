// What table follow answers. It reads one partition, that of `owner`. Blocks on the database;
// throws TransactionFailed.
#pragma once

#include "eventsourcing/keyset.hpp"
#include "social-graph/projections/follow_model.hpp"

namespace tideline::social_graph {

// Whom `owner` follows or who follows him, newest first.
eventsourcing::Slice<eventsourcing::PersonSince> list_follows(
    eventsourcing::Transaction& transaction, const core::AccountId& owner,
    FollowDirection direction, const eventsourcing::Window<core::AccountId>& window);

}  // namespace tideline::social_graph
