// Takes a snapshot: an engine of its own starts from the newest one, applies what the topics hold
// behind it, and is written into a file. Neither the engines that serve nor their database notice.
//
// It needs the memory of an engine without arrays. Blocks until it has caught up.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "feed/projections/snapshot/snapshot_start.hpp"

namespace tideline::feed {

struct TakenFeed {
  std::filesystem::path file;
  std::size_t people = 0;
  std::size_t moments = 0;
};

// Has the engine apply what the topics hold, and calls `then` with where it stands, while it still
// watches those topics. False: stop was requested before.
using CatchUp = std::function<core::Result<bool>(
    FeedEngine& engine, const std::function<core::Status(eventsourcing::PartitionPlaces)>& then)>;

// Under the folder's lock. Keeps the newest `kept`, this one among them. nullopt: stop was
// requested, or this service has no event yet, by which one could be told from another's. An event
// that could not be applied is an Error of `catch_up`: a start from there would miss it for good.
core::Result<std::optional<TakenFeed>> take_snapshot(const SnapshotStart& start,
                                                     const CatchUp& catch_up,
                                                     const core::Clock& clock, std::size_t kept);

}  // namespace tideline::feed
