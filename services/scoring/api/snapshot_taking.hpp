// What the subcommand `snapshot` does once: a snapshot of the tables, and beside it statistics of
// it, as GET /v1/statistics shows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "scoring/projections/engine/rule_keeper.hpp"
#include "scoring/projections/snapshot/snapshot_folder.hpp"
#include "sql/transaction.hpp"

namespace tideline::scoring {

struct SnapshotPorts {
  sql::Database& database;
  RuleKeeper& rules;
  const core::CampusCalendar& campus;
};

struct SnapshotTaken {
  std::filesystem::path file;
  std::uint64_t members = 0;
};

// Under the folder's lock. Keeps the newest `kept`. Blocks as take_snapshot() does
// (snapshot_take.hpp).
core::Result<SnapshotTaken> take_snapshot_and_statistics(const SnapshotPorts& ports,
                                                         const SnapshotFolder& folder,
                                                         core::Timestamp now, std::size_t kept);

}  // namespace tideline::scoring
