// What table contact answers. Each reads one partition, that of `owner`. Blocks on the database;
// throws TransactionFailed.
#pragma once

#include <optional>

#include "eventsourcing/keyset.hpp"
#include "social-graph/projections/contact_model.hpp"

namespace tideline::social_graph {

struct HeldContact {
  core::Timestamp since;
  core::StreamVersion version;  // of the pair
};

// Those to whom `owner` stands in `relation`, newest first.
eventsourcing::Slice<eventsourcing::PersonSince> list_related(
    eventsourcing::Transaction& transaction, const core::AccountId& owner, Relation relation,
    const eventsourcing::Window<core::AccountId>& window);

// nullopt: `other` is no contact of `owner`.
std::optional<HeldContact> find_contact(eventsourcing::Transaction& transaction,
                                        const core::AccountId& owner, const core::AccountId& other);

}  // namespace tideline::social_graph
