// Takes a snapshot: an engine of its own starts from the newest one, applies what the topics hold
// behind it, and is written into a file. Neither the engines that serve nor their database notice.
//
// It needs the memory of an engine without arrays. Blocks until it has caught up.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stop_token>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "eventsourcing/projection_runner.hpp"
#include "feed/projections/snapshot/snapshot_start.hpp"

namespace tideline::feed {

struct TakenFeed {
  std::filesystem::path file;
  std::size_t people = 0;
  std::size_t moments = 0;
};

// Under the folder's lock. `topics`: a source of all partitions of what the engine consumes. Keeps
// the newest `kept`, this one among them. nullopt: stop was requested, or this service has no event
// yet, by which one could be told from another's. Internal: an event could not be applied; a start
// from there would miss it for good.
core::Result<std::optional<TakenFeed>> take_snapshot(const SnapshotStart& start,
                                                     eventsourcing::RunnerPorts topics,
                                                     const core::Clock& clock, std::size_t kept,
                                                     const std::stop_token& stop);

}  // namespace tideline::feed
