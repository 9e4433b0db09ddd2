#include "feed/projections/snapshot/snapshot_start.hpp"

#include <utility>
#include <vector>

#include "sql/transaction.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::PartitionPlaces;

bool are_all_partitions(const PartitionPlaces& places, std::uint32_t logs) {
  const auto sources = FeedMemory::services();
  if (places.size() != sources.size() * logs) return false;
  for (const std::string& service : sources) {
    for (std::uint32_t log = 0; log < logs; ++log) {
      if (!places.contains({service, core::LogIndex(log)})) return false;
    }
  }
  return true;
}

// Throws TransactionFailed.
core::Status check_origin(const SnapshotOrigin& origin, eventsourcing::EventLog& own) {
  if (!are_all_partitions(origin.places, own.logs())) {
    return core::invalid_input("it is of another number of logs");
  }
  const auto last = last_events_at(own, origin.places);
  if (!last) throw sql::TransactionFailed(last.error());
  // Without any event of our own nothing would tell whose it is.
  if (last->empty() || *last != origin.last_own) {
    return core::invalid_input("it is not of the events of this service");
  }
  return core::success();
}

core::Result<RestoredFeed> restore(const std::filesystem::path& file,
                                   eventsourcing::EventLog& own) {
  auto reader = SnapshotReader::open(file);
  if (!reader) return reader.error();
  if (const auto ours = check_origin(reader->origin(), own); !ours) return ours.error();
  return reader->read();
}

}  // namespace

core::Result<LastEventIds> last_events_at(eventsourcing::EventLog& own,
                                          const PartitionPlaces& places) {
  std::vector<eventsourcing::LogRange> ranges;
  for (const auto& [partition, place] : places) {
    if (partition.service != kOwnService || place.position == core::LogPosition(0)) continue;
    ranges.push_back({partition.log, core::LogPosition(place.position.value() - 1), 1});
  }
  LastEventIds ids;
  const core::Status read = own.read_ranges(ranges, [&](const eventsourcing::RecordedEvent& event) {
    ids[event.log] = event.id;
    return true;
  });
  if (!read) return read.error();
  return ids;
}

std::optional<RestoredFeed> restore_newest(const SnapshotStart& start) {
  for (const std::filesystem::path& file : start.folder.files()) {
    auto restored = restore(file, start.own);
    if (start.tell) start.tell(file, restored ? core::success() : restored.error());
    if (restored) return *std::move(restored);
  }
  return std::nullopt;
}

}  // namespace tideline::feed
