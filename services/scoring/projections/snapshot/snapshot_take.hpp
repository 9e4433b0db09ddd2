// Takes a snapshot: reads the engine's tables in one transaction that sees them as they were at one
// moment, and writes them into a file of the folder. Neither the engine nor a flush waits for it.
//
// Beside the rows of a block it holds in memory who the people are: 21 to 27 bytes each. Blocks for
// as long as it reads the tables, and meanwhile they cannot be exchanged for rebuilt ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "scoring/projections/snapshot/snapshot_file.hpp"
#include "scoring/projections/snapshot/snapshot_folder.hpp"
#include "sql/transaction.hpp"

namespace tideline::scoring {

struct SnapshotMoment {
  core::Timestamp now;
  core::Day today;  // of the campus
};

// Under the folder's lock. Removes what is there but the newest `kept`, this one among them.
core::Result<std::filesystem::path> take_snapshot(sql::Database& database,
                                                  const SnapshotFolder& folder,
                                                  const SnapshotMoment& moment, std::size_t kept);

// Its parts, inside a transaction that sees one state: where the tables stand, and their rows.
SnapshotOrigin origin_of_tables(sql::Transaction& transaction, const SnapshotMoment& moment);
void write_tables(sql::Transaction& transaction, core::Day today, SnapshotWriter& writer);

}  // namespace tideline::scoring
