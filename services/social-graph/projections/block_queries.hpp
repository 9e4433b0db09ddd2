// What table person_block answers its owner. Blocks on the database; throws TransactionFailed.
#pragma once

#include "sql/keyset.hpp"

namespace tideline::social_graph {

// Whom `owner` has blocked, newest first.
sql::Slice<sql::PersonSince> list_blocked(sql::Transaction& transaction,
                                          const core::AccountId& owner,
                                          const sql::Window<core::AccountId>& window);

}  // namespace tideline::social_graph
