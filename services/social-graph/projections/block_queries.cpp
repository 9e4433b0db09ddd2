#include "social-graph/projections/block_queries.hpp"

namespace tideline::social_graph {

using sql::PersonSince;

sql::Slice<PersonSince> list_blocked(sql::Transaction& transaction, const core::AccountId& owner,
                                     const sql::Window<core::AccountId>& window) {
  return select_newest_first<PersonSince>(
      transaction,
      {"SELECT other, (extract(epoch FROM since) * 1000000)::bigint FROM person_block"
       " WHERE owner = $1::uuid AND active",
       "since", "other"},
      {owner}, window, PersonSince::of);
}

}  // namespace tideline::social_graph
