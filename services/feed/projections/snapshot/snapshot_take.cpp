#include "feed/projections/snapshot/snapshot_take.hpp"

#include <utility>

namespace tideline::feed {
core::Result<std::optional<TakenFeed>> take_snapshot(const SnapshotStart& start,
                                                     const CatchUp& catch_up,
                                                     const core::Clock& clock, std::size_t kept) {
  FeedEngineOptions options;
  options.restore = [&] { return restore_newest(start); };
  FeedEngine engine(std::move(options));
  engine.keep({});
  std::optional<TakenFeed> taken;
  const auto write = [&](eventsourcing::PartitionPlaces places) -> core::Status {
    SnapshotOrigin origin{clock.now(), std::move(places), {}};
    auto last = last_events_at(start.own, origin.places);
    if (!last) return last.error();
    if (last->empty()) return core::success();
    origin.last_own = *std::move(last);
    const std::filesystem::path file = start.folder.file_of(origin.taken_at);
    if (auto written = write_snapshot(file, origin, engine); !written) return written;
    start.folder.forget_others(kept);
    const auto size = engine.size();
    taken = TakenFeed{file, size.people, size.moments};
    return core::success();
  };
  if (const auto caught_up = catch_up(engine, write); !caught_up) return caught_up.error();
  return taken;
}

}  // namespace tideline::feed
