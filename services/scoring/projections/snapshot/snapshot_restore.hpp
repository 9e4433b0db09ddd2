// A start from a snapshot: what the file holds, and from the tables the rows of those whom flushes
// after it have written. What comes out is what the tables hold at the moment of the transaction.
#pragma once

#include <cstddef>
#include <filesystem>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "scoring/projections/engine/score_memory.hpp"
#include "sql/transaction.hpp"

namespace tideline::scoring {

struct Restored {
  std::size_t people = 0;   // in the file
  std::size_t changed = 0;  // of them and of others, read from the tables
};

// Into an empty memory for that day of the campus, which is to be finished afterwards.
// InvalidInput: the snapshot cannot be used, and the memory is to be thrown away: it is not whole,
// of other tables, of a day to come, or so old that reading the tables is the shorter way. Throws
// TransactionFailed. Blocks on the disk and on the database.
core::Result<Restored> restore_snapshot(sql::Transaction& transaction,
                                        const std::filesystem::path& file, core::Day today,
                                        ScoreMemory& memory);

}  // namespace tideline::scoring
