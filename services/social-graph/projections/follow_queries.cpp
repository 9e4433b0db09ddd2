#include "social-graph/projections/follow_queries.hpp"

namespace tideline::social_graph {

using sql::PersonSince;
using sql::Slice;
using sql::Window;

FollowCounts count_follows(sql::Transaction& transaction, const core::AccountId& owner) {
  FollowCounts counts;
  for (const auto& row : transaction.execute(
           "SELECT direction, people FROM follow_count WHERE owner = $1::uuid", {owner})) {
    const bool followers = row.text(0) == name_of(FollowDirection::Followers);
    (followers ? counts.followers : counts.following) = row.integer(1);
  }
  return counts;
}

CountAudience find_count_audience(sql::Transaction& transaction, const core::AccountId& owner) {
  const auto rows =
      transaction.execute("SELECT shown_to FROM follow_setting WHERE owner = $1::uuid", {owner});
  if (rows.empty()) return CountAudience::Nobody;
  return parse_count_audience(rows[0].text(0)).value();
}

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
