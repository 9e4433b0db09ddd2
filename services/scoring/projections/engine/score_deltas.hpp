// Tables score and day_score take their deltas behind the flush: a flush writes them in one piece
// (a row of table score_delta), for which it does not matter how many rows those tables have, and
// what was deferred so is folded in later, one flush after the other, each once. The engine does it
// on a thread beside its flushes (ScoreEngine::run_folding), and a flush when too much has been
// deferred. Whoever reads those tables adds what is deferred, by one statement or while nothing is
// folded.
//
// One transaction folds at a time. It may hold its locks for a while: a flush does not wait for it,
// for what it leaves is little. Runs inside the caller's transaction and throws TransactionFailed.
#pragma once

#include <cstddef>

#include "sql/transaction.hpp"

namespace tideline::scoring {

// So many flushes are deferred at most, and those that commit while somebody folds.
inline constexpr std::size_t kDeltasMax = 16;

// Waits for a transaction that folds; no other one does until this one ends.
void hold_folding(sql::Transaction& transaction);

// All, the oldest first. Waits for a transaction that folds.
void fold_deltas(sql::Transaction& transaction);

// What a flush has to fold itself: of what is too much the oldest two, or everything in a copy that
// is built anew in another schema, where nothing else folds. How many flushes are deferred then.
std::size_t fold_after_flush(sql::Transaction& transaction);

}  // namespace tideline::scoring
