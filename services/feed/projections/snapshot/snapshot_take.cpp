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
  auto places = catch_up(engine);
  if (!places) return places.error();
  if (!*places) return std::optional<TakenFeed>();
  SnapshotOrigin origin{clock.now(), **std::move(places), {}};
  auto last = last_events_at(start.own, origin.places);
  if (!last) return last.error();
  if (last->empty()) return std::optional<TakenFeed>();
  origin.last_own = *std::move(last);
  const std::filesystem::path file = start.folder.file_of(origin.taken_at);
  if (const auto written = write_snapshot(file, origin, engine); !written) return written.error();
  start.folder.forget_others(kept);
  const auto size = engine.size();
  return std::optional(TakenFeed{file, size.people, size.moments});
}

}  // namespace tideline::feed
