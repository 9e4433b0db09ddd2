// Settings of scoring alone; those that all services share are in libs/runtime/settings.hpp.
#pragma once

#include <cstdint>

#include "core/config.hpp"
#include "scoring/fence/fence.hpp"
#include "scoring/projections/engine/score_engine.hpp"
#include "scoring/projections/score_publisher.hpp"
#include "snapshots/snapshot_settings.hpp"

namespace tideline::scoring {

struct Settings {
  // TIDELINE_SCORING_FLUSH_MS, 50 to 60,000: at the latest so long after a change it is in the
  // tables. Longer means fewer writes, and more events to apply again after a crash.
  // TIDELINE_SCORING_PENDING_PEOPLE, 1,000 to 1,000,000: people with changes not yet written.
  // TIDELINE_SCORING_BAND, 1,000 to 10,000,000: people whose lists are kept in order; lists further
  // down cost a scan. 16 bytes each, and 48 for each score that is in use.
  EngineOptions engine;
  // TIDELINE_SCORING_SNAPSHOT_FOLDER, _SNAPSHOT_INTERVAL_S and _SNAPSHOTS_KEPT
  // (snapshots/snapshot_settings.hpp): an older one means more rows to read from the tables.
  snapshots::SnapshotSettings snapshot;
  // TIDELINE_SCORING_PUBLISH_MS, 100 to 600,000: at the latest so long after a change is written it
  // is published; changes of a person within it are published as one.
  ScorePublisherOptions publisher;
  // TIDELINE_SCORING_RANK_EXACT, 1 to 1,000,000,000: ranks beyond are marked as not exact and come
  // with "top x %".
  std::int64_t rank_exact_max = 100'000;

  // TIDELINE_SCORING_FENCE: the process's name in the fence, of no other one at the same time; "" =
  // there is never a second process, and no fence. TIDELINE_SCORING_LEASE_MS, 1,000 to 600,000: how
  // long one that has died keeps another waiting. Four fifths of it is how long the database may be
  // away before points and ranks are 503.
  FenceOptions fence;

  // Mistakes go to `config`.
  static Settings read(core::Config& config);
};

}  // namespace tideline::scoring
