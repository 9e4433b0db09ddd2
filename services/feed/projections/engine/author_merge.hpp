// Many authors' moments as one list by id: what pages below an array's floor are read from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/time_ordered_id.hpp"

namespace tideline::feed {

// Gives the ids of ascending lists, one after another, from the newest down (below `bound`) or from
// the oldest up (above it). The lists must stay as they are while it lives. Not synchronized.
class AuthorMerge {
 public:
  enum class Direction { Older, Newer };

  AuthorMerge(const std::vector<std::span<const core::MomentId>>& lists, core::MomentId bound,
              Direction direction)
      : order_{direction} {
    for (const Rest list : lists) {
      const bool older = direction == Direction::Older;
      const auto place = older ? std::lower_bound(list.begin(), list.end(), bound)
                               : std::upper_bound(list.begin(), list.end(), bound);
      const auto count = static_cast<std::size_t>(place - list.begin());
      const Rest rest = older ? list.first(count) : list.subspan(count);
      if (!rest.empty()) rests_.push_back(rest);
    }
    std::make_heap(rests_.begin(), rests_.end(), order_);
  }

  bool done() const { return rests_.empty(); }

  // Only while not done().
  core::MomentId next() {
    std::pop_heap(rests_.begin(), rests_.end(), order_);
    Rest& rest = rests_.back();
    const core::MomentId id = order_.head(rest);
    rest = order_.direction == Direction::Older ? rest.first(rest.size() - 1) : rest.subspan(1);
    if (rest.empty()) {
      rests_.pop_back();
    } else {
      std::push_heap(rests_.begin(), rests_.end(), order_);
    }
    return id;
  }

 private:
  using Rest = std::span<const core::MomentId>;

  struct Order {
    Direction direction;

    core::MomentId head(const Rest& rest) const {
      return direction == Direction::Older ? rest.back() : rest.front();
    }
    bool operator()(const Rest& left, const Rest& right) const {
      return direction == Direction::Older ? head(left) < head(right) : head(left) > head(right);
    }
  };

  Order order_;
  std::vector<Rest> rests_;
};

}  // namespace tideline::feed
