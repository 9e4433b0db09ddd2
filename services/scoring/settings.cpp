#include "scoring/settings.hpp"

#include <algorithm>

namespace tideline::scoring {

Settings Settings::read(core::Config& config) {
  Settings settings;
  EngineOptions& engine = settings.engine;
  engine.flush_interval = std::chrono::milliseconds(
      config.integer("TIDELINE_SCORING_FLUSH_MS", engine.flush_interval.count(), 50, 60'000));
  engine.pending_people_max = static_cast<std::size_t>(
      config.integer("TIDELINE_SCORING_PENDING_PEOPLE",
                     static_cast<std::int64_t>(engine.pending_people_max), 1'000, 1'000'000));
  engine.band_members = static_cast<std::size_t>(config.integer(
      "TIDELINE_SCORING_BAND", static_cast<std::int64_t>(engine.band_members), 1'000, 10'000'000));
  settings.snapshot = snapshots::SnapshotSettings::read(config, "SCORING", SnapshotFolder::kPrefix);
  engine.snapshots = SnapshotFolder(settings.snapshot.folder.path());
  ScorePublisherOptions& publisher = settings.publisher;
  publisher.interval = std::chrono::milliseconds(
      config.integer("TIDELINE_SCORING_PUBLISH_MS", publisher.interval.count(), 100, 600'000));
  // Below the band anyone who is on a list has to be looked for.
  publisher.ranks_daily = std::min(publisher.ranks_daily, engine.band_members);
  settings.rank_exact_max =
      config.integer("TIDELINE_SCORING_RANK_EXACT", settings.rank_exact_max, 1, 1'000'000'000);
  settings.fence.holder = config.text("TIDELINE_SCORING_FENCE", "");
  settings.fence.lease = std::chrono::milliseconds(
      config.integer("TIDELINE_SCORING_LEASE_MS", settings.fence.lease.count(), 1'000, 600'000));
  return settings;
}

}  // namespace tideline::scoring
