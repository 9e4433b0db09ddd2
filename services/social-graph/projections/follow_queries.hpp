// What table follow answers. It reads one partition, that of `owner`. Blocks on the database;
// throws TransactionFailed.
#pragma once

#include "social-graph/projections/follow_model.hpp"
#include "sql/keyset.hpp"

namespace tideline::social_graph {

// Whom `owner` follows or who follows him, newest first.
sql::Slice<sql::PersonSince> list_follows(sql::Transaction& transaction,
                                          const core::AccountId& owner, FollowDirection direction,
                                          const sql::Window<core::AccountId>& window);

}  // namespace tideline::social_graph
