// What tables contact and contact_remark answer. Each reads one partition, that of `owner`. Blocks
// on the database; throws TransactionFailed.
#pragma once

#include <optional>
#include <string>

#include "social-graph/projections/contact_model.hpp"
#include "sql/keyset.hpp"

namespace tideline::social_graph {

struct HeldContact {
  core::Timestamp since;
  core::StreamVersion version;  // of the pair
};
struct ListedContact {
  core::AccountId account;
  core::Timestamp since;
  std::optional<std::string> sealed_remark;  // what the owner calls him
};

// Those to whom `owner` stands in `relation`, newest first.
sql::Slice<sql::PersonSince> list_related(sql::Transaction& transaction,
                                          const core::AccountId& owner, Relation relation,
                                          const sql::Window<core::AccountId>& window);

// His contacts, newest first, with what he calls them.
sql::Slice<ListedContact> list_contacts(sql::Transaction& transaction, const core::AccountId& owner,
                                        const sql::Window<core::AccountId>& window);

// nullopt: `other` is no contact of `owner`.
std::optional<HeldContact> find_contact(sql::Transaction& transaction, const core::AccountId& owner,
                                        const core::AccountId& other);

}  // namespace tideline::social_graph
