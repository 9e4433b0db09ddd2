// What table contact answers. Each reads one partition, that of `owner`. Blocks on the database;
// throws TransactionFailed.
#pragma once

#include <optional>

#include "social-graph/projections/contact_model.hpp"
#include "sql/keyset.hpp"

namespace tideline::social_graph {

struct HeldContact {
  core::Timestamp since;
  core::StreamVersion version;  // of the pair
};

// Those to whom `owner` stands in `relation`, newest first.
sql::Slice<sql::PersonSince> list_related(sql::Transaction& transaction,
                                          const core::AccountId& owner, Relation relation,
                                          const sql::Window<core::AccountId>& window);

// nullopt: `other` is no contact of `owner`.
std::optional<HeldContact> find_contact(sql::Transaction& transaction, const core::AccountId& owner,
                                        const core::AccountId& other);

}  // namespace tideline::social_graph
