// Which snapshot a start takes up: the newest one that is whole and of this history.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "core/result.hpp"
#include "eventsourcing/store/event_store.hpp"
#include "feed/projections/snapshot/feed_snapshot.hpp"
#include "snapshots/snapshot_folder.hpp"

namespace tideline::feed {

struct SnapshotStart {
  const snapshots::SnapshotFolder& folder;
  eventsourcing::EventLog& own;  // the events of this service
  // Told of each file that is looked at: success when it is used, else why not. May be empty.
  std::function<void(const std::filesystem::path&, const core::Status&)> tell;
};

// nullopt: none, so that the engine begins at the first event. Throws TransactionFailed when the
// own events cannot be asked. Blocks on the disk and on the database.
std::optional<RestoredFeed> restore_newest(const SnapshotStart& start);

// The ids of the own events at these places, of the logs that are beyond their beginning. A log
// that does not hold its own has none in the answer.
core::Result<LastEventIds> last_events_at(eventsourcing::EventLog& own,
                                          const eventsourcing::PartitionPlaces& places);

}  // namespace tideline::feed
