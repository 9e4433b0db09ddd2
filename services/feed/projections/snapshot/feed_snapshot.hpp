// One file with the engine's memory as it was at one place in all topics: a start takes it up and
// goes on with the events behind it (snapshot_start.hpp). Arrays of viewers are not in it.
//
// It is tied to the events that it stands for: it names the events that the engine reads, the place
// of every partition, and the id of the last event of each log of this service. Of another program,
// another number of logs or another history it is not used.
//
// Not synchronized; blocks on the disk.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "eventsourcing/topics/record_source.hpp"
#include "feed/projections/engine/feed_engine.hpp"
#include "snapshots/block_file.hpp"

namespace tideline::feed {

inline constexpr const char* kSnapshotPrefix = "feed-";
inline constexpr const char* kOwnService = "feed";

using LastEventIds = std::map<core::LogIndex, std::string>;

struct SnapshotOrigin {
  core::Timestamp taken_at{};
  eventsourcing::PartitionPlaces places;
  LastEventIds last_own;  // of the logs of this service that hold any

  friend bool operator==(const SnapshotOrigin&, const SnapshotOrigin&) = default;
};

// The engine is not applied to meanwhile. The file has its name when all of it is on the disk.
core::Status write_snapshot(const std::filesystem::path& file, const SnapshotOrigin& origin,
                            FeedEngine& engine);

class SnapshotReader {
 public:
  // Looks at the first and the last block. InvalidInput: not a whole snapshot of this program.
  static core::Result<SnapshotReader> open(const std::filesystem::path& file);

  const SnapshotOrigin& origin() const { return origin_; }
  // Once. InvalidInput: it is damaged.
  core::Result<RestoredFeed> read();

 private:
  SnapshotReader(snapshots::BlockReader blocks, SnapshotOrigin origin)
      : blocks_(std::move(blocks)), origin_(std::move(origin)) {}

  snapshots::BlockReader blocks_;
  SnapshotOrigin origin_;
};

}  // namespace tideline::feed
