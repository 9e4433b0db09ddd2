#include "social-graph/projections/follow_queries.hpp"

namespace tideline::social_graph {

using sql::PersonSince;
using sql::Slice;
using sql::Window;

Slice<PersonSince> list_follows(sql::Transaction& transaction, const core::AccountId& owner,
                                FollowDirection direction, const Window<core::AccountId>& window) {
  return select_newest_first<PersonSince>(
      transaction,
      {"SELECT other, (extract(epoch FROM since) * 1000000)::bigint FROM follow"
       " WHERE owner = $1::uuid AND direction = $2 AND active",
       "since", "other"},
      {owner, name_of(direction)}, window, PersonSince::of);
}

}  // namespace tideline::social_graph
