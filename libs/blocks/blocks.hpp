// Who has blocked whom: what the table person_block answers, of which every service that shows
// people to each other keeps a copy in its own database. block_model.hpp fills it from the events
// of social-graph, so a position token covers it. A block counts in both directions.
//
// Inside the caller's transaction. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "sql/transaction.hpp"

namespace tideline::blocks {

// Whether `by` has blocked `other`.
bool has_blocked(sql::Transaction& transaction, const core::AccountId& by,
                 const core::AccountId& other);

// Whether one of the two has blocked the other.
bool are_apart(sql::Transaction& transaction, const core::AccountId& one,
               const core::AccountId& other);

// The same as a condition of SQL, of two expressions of type uuid.
std::string are_apart_sql(std::string_view one, std::string_view other);

// Run by the runtime's migrations.
extern const char* const kBlockTableSql;

}  // namespace tideline::blocks
