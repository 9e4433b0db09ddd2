#include "feed/projections/engine/viewer_timeline.hpp"

#include <algorithm>

namespace tideline::feed {

bool ViewerTimeline::insert_slowly(core::MomentId id, std::size_t length_max) {
  if (id <= floor_) return false;
  if (ids_.empty() || ids_.back() < id) {
    ids_.push_back(id);
  } else {
    const auto place = std::lower_bound(ids_.begin(), ids_.end(), id);
    if (*place == id) return false;
    ids_.insert(place, id);
  }
  if (ids_.size() > length_max) {
    const auto dropped = static_cast<std::ptrdiff_t>(length_max / 4 + 1);
    floor_ = ids_[static_cast<std::size_t>(dropped - 1)];
    ids_.erase(ids_.begin(), ids_.begin() + dropped);
  }
  return id > floor_;
}

}  // namespace tideline::feed
