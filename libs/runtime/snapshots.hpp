// What services that start from snapshots have in common: the subcommand `snapshot`, which takes
// them in a process of its own, and gauges of the newest one.
//
//   tideline-<service> --config FILE snapshot [--once]
//
// It takes one in every interval until it is told to stop, or a single one. For each it prints one
// JSON object: `file`, `bytes`, `seconds`, and what the service counts of it. The exit code is 1
// when the single one could not be taken, or when there is no folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "runtime/operations.hpp"
#include "runtime/service.hpp"
#include "snapshots/snapshot_settings.hpp"

namespace tideline::runtime {

struct TakenSnapshot {
  std::filesystem::path file;
  std::map<std::string, std::uint64_t> counts;  // of what is in it
};

// Takes one, under the folder's lock. nullopt: there is nothing yet that it could be of, or stop
// was requested.
using TakeSnapshot = std::function<core::Result<std::optional<TakenSnapshot>>(
    RunningService&, core::Timestamp now, std::stop_token stop)>;

// `settings` are read before it runs, and outlive it.
Operation snapshot_operation(std::string summary, const snapshots::SnapshotSettings& settings,
                             TakeSnapshot take);

// <prefix>_snapshot_age_seconds, <prefix>_snapshot_bytes and <prefix>_snapshot_seconds.
void show_snapshots(ServiceContext& context, const std::string& prefix,
                    const snapshots::SnapshotFolder& folder);

}  // namespace tideline::runtime
