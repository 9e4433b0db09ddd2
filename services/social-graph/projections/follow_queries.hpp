// What the tables of follows answer. Each reads one partition, that of `owner`. Blocks on the
// database; throws TransactionFailed.
#pragma once

#include <cstdint>

#include "social-graph/projections/follow_model.hpp"
#include "sql/keyset.hpp"

namespace tideline::social_graph {

struct FollowCounts {
  std::int64_t followers = 0;
  std::int64_t following = 0;
};
FollowCounts count_follows(sql::Transaction& transaction, const core::AccountId& owner);
// Who sees them besides him.
CountAudience find_count_audience(sql::Transaction& transaction, const core::AccountId& owner);

// Whom `owner` follows or who follows him, newest first.
sql::Slice<sql::PersonSince> list_follows(sql::Transaction& transaction,
                                          const core::AccountId& owner, FollowDirection direction,
                                          const sql::Window<core::AccountId>& window);

}  // namespace tideline::social_graph
