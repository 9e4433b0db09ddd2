#include "social-graph/projections/contact_queries.hpp"

namespace tideline::social_graph {
using sql::PersonSince;
using sql::Slice;
using sql::Window;

Slice<PersonSince> list_related(sql::Transaction& transaction, const core::AccountId& owner,
                                Relation relation, const Window<core::AccountId>& window) {
  return select_newest_first<PersonSince>(
      transaction,
      {"SELECT other, (extract(epoch FROM since) * 1000000)::bigint FROM contact"
       " WHERE owner = $1::uuid AND relation = $2",
       "since", "other"},
      {owner, name_of(relation)}, window, PersonSince::of);
}

Slice<ListedContact> list_contacts(sql::Transaction& transaction, const core::AccountId& owner,
                                   const Window<core::AccountId>& window) {
  return select_newest_first<ListedContact>(
      transaction,
      {"SELECT contact.other, (extract(epoch FROM contact.since) * 1000000)::bigint, named.remark"
       " FROM contact LEFT JOIN contact_remark AS named"
       " ON named.owner = $1::uuid AND named.other = contact.other"
       " WHERE contact.owner = $1::uuid AND contact.relation = 'contact'",
       "contact.since", "contact.other"},
      {owner}, window, [](const sql::Row& row) {
        return ListedContact{row.account(0), row.timestamp_us(1), row.nullable_text(2)};
      });
}

std::optional<HeldContact> find_contact(sql::Transaction& transaction, const core::AccountId& owner,
                                        const core::AccountId& other) {
  const auto rows = transaction.execute(
      "SELECT (extract(epoch FROM since) * 1000000)::bigint, version FROM contact"
      " WHERE owner = $1::uuid AND other = $2::uuid AND relation = 'contact'",
      {owner, other});
  if (rows.empty()) return std::nullopt;
  return HeldContact{rows[0].timestamp_us(0),
                     core::StreamVersion(static_cast<std::uint64_t>(rows[0].integer(1)))};
}

}  // namespace tideline::social_graph
