// All that the engine knows and cannot make of anything else: the graph, moments, what lies under
// them, what has been seen, what waits in the holdback. Viewers' arrays are made of it when they
// are read. How it lies in a snapshot is in saved_memory.cpp.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "eventsourcing/events/position_vector.hpp"
#include "eventsourcing/topics/record_source.hpp"
#include "feed/projections/engine/causal_holdback.hpp"
#include "feed/projections/engine/graph_memory.hpp"
#include "feed/projections/engine/interaction_memory.hpp"
#include "feed/projections/engine/moment_memory.hpp"
#include "snapshots/value_stream.hpp"

namespace tideline::feed {

using SeenUpTo = absl::flat_hash_map<PersonIndex, core::MomentId>;

struct FeedMemory {
  // Whose events it is made of.
  static std::vector<std::string> services() { return {"accounts", "social-graph", "feed"}; }

  GraphMemory graph;
  MomentMemory moments;
  InteractionMemory interactions;
  SeenUpTo seen_up_to;
  CausalHoldback holdback{services()};
  eventsourcing::PositionVector known;  // of the events that have been used

  void save(snapshots::ValueWriter& out) const;
  // Into an empty one, what save() has written; anything else fails `in`.
  void load(snapshots::ValueReader& in);
};

// A memory, and where in the topics it stands.
struct RestoredFeed {
  FeedMemory memory;
  eventsourcing::PartitionPlaces places;
};

}  // namespace tideline::feed
