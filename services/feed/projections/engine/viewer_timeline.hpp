// One viewer's timeline as an array of moment ids, ascending, and of bounded length.
//
// Law: every moment above the floor that the viewer may see and wants is in the array, unless its
// author is pending; ids at or below the floor are never in it. The array may also hold ids that he
// may no longer see: whoever reads asks the predicates. Not synchronized: FeedEngine guards it.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "feed/projections/engine/graph_memory.hpp"

namespace tideline::feed {

class ViewerTimeline {
 public:
  // At most `length_max` ids (at least 1) are kept; the oldest quarter goes when there is one more.
  bool insert(core::MomentId id, std::size_t length_max);

  std::span<const core::MomentId> ids() const { return ids_; }
  core::MomentId floor() const { return floor_; }

  // Authors of whom older moments may have become visible: they are merged in at the next read.
  void mark_pending(PersonIndex author) { pending_.insert(author); }
  bool has_pending() const { return !pending_.empty(); }
  People take_pending() { return std::exchange(pending_, {}); }

 private:
  std::vector<core::MomentId> ids_;
  core::MomentId floor_;
  People pending_;
};

}  // namespace tideline::feed
