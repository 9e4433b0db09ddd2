// One viewer's timeline as an array of moment ids, ascending, and of bounded length.
//
// Law: every moment above the floor that the viewer may see and wants is in the array, unless its
// author is pending; ids at or below the floor are never in it. The array may also hold ids that he
// may no longer see: whoever reads asks the predicates. Not synchronized: FeedEngine guards it.
//
// A cold one holds nothing and takes nothing, for its floor is above every id: as right as any
// other, and made of its authors' moments at each read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/time_ordered_id.hpp"

namespace tideline::feed {

class ViewerTimeline {
 public:
  // At most `length_max` ids (at least 1) are kept; the oldest quarter goes when there is one more.
  // False if it is there already or not above the floor.
  bool insert(core::MomentId id, std::size_t length_max) {
    const bool is_newest = ids_.empty() ? id > floor_ : id > ids_.back();
    if (!is_newest || ids_.size() >= length_max) return insert_slowly(id, length_max);
    ids_.push_back(id);
    return true;
  }

  bool is_cold() const { return floor_ == kAboveEveryId; }
  void cool_down() {
    ids_ = {};
    floor_ = kAboveEveryId;
  }
  // `ids`, ascending, are all above `floor` that he may see and wants.
  void warm_up(std::vector<core::MomentId> ids, core::MomentId floor) {
    ids_ = std::move(ids);
    floor_ = floor;
  }

  std::span<const core::MomentId> ids() const { return ids_; }
  core::MomentId floor() const { return floor_; }

  // Asks the processor for the place where the next id goes: a fan-out knows its viewers in
  // advance.
  void prefetch_end() const { __builtin_prefetch(ids_.data() + ids_.size(), 1); }

 private:
  // There is room for the number behind it, where pages begin. No id of 42 bits of milliseconds is
  // near.
  static constexpr core::MomentId kAboveEveryId{std::numeric_limits<std::uint64_t>::max() - 1};

  bool insert_slowly(core::MomentId id, std::size_t length_max);

  std::vector<core::MomentId> ids_;
  core::MomentId floor_;
};
static_assert(sizeof(ViewerTimeline) == 32, "two of them a cache line");

}  // namespace tideline::feed
