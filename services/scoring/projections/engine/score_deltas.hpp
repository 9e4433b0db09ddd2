// Tables score and day_score take their deltas behind the flush: a flush writes them in one piece
// (a row of table score_delta), for which it does not matter how many rows those tables have, and
// what was deferred so is folded in later, one flush after the other, each once. The score feed
// does it before it reads what it publishes, and a flush when too much has been deferred. Anyone
// who reads those tables adds what is deferred, by one statement or while nobody folds.
//
// One folds at a time. Who folds may hold his locks for a while (the feed publishes within the same
// transaction): a flush does not wait for him, for what he leaves is little. Runs inside the
// caller's transaction and throws TransactionFailed.
#pragma once

#include <cstddef>

#include "sql/transaction.hpp"

namespace tideline::scoring {

// So many flushes are deferred at most, and those that commit while somebody folds.
inline constexpr std::size_t kDeltasMax = 16;

// Waits for who folds; then nobody does until the transaction ends.
void hold_folding(sql::Transaction& transaction);

// All, the oldest first. Waits for who folds.
void fold_deltas(sql::Transaction& transaction);

// What a flush has to fold itself: of what is too much the oldest two, or everything in a copy that
// is built anew in another schema, where nobody else folds. How many flushes are deferred then.
std::size_t fold_after_flush(sql::Transaction& transaction);

}  // namespace tideline::scoring
