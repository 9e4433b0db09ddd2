#include "scoring/projections/engine/rank_board.hpp"

#include <algorithm>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <numeric>
#include <utility>

#include "core/check.hpp"

namespace tideline::scoring {
namespace {

// So many members are counted faster than they are given cells.
constexpr std::size_t kCountedMax = 256;

}  // namespace

struct RankBoard::Outliers {
  using Key = std::pair<std::int64_t, core::AccountId>;
  using Tree = __gnu_pbds::tree<Key, __gnu_pbds::null_type, std::less<Key>, __gnu_pbds::rb_tree_tag,
                                __gnu_pbds::tree_order_statistics_node_update>;

  Tree tree;

  // Outliers with at most so many points.
  std::uint64_t up_to(std::int64_t points) const {
    if (points == std::numeric_limits<std::int64_t>::max()) return tree.size();
    return tree.order_of_key({points + 1, core::AccountId{}});
  }
};

RankBoard::RankBoard(std::size_t band_members, const BoardMembers& table)
    : band_members_(std::max<std::size_t>(band_members, 1)),
      counted_max_(std::min(kCountedMax, 2 * band_members_)),
      table_(table),
      outliers_(std::make_unique<Outliers>()),
      lists_(table) {}

RankBoard::~RankBoard() = default;

std::uint64_t RankBoard::above_otherwise(std::int64_t points) const {
  if (!cells_) {
    const auto end = std::find_if(tree_.begin(), tree_.end(), [&](const BoardMember& member) {
      return member.entry.points <= points;
    });
    return static_cast<std::uint64_t>(std::distance(tree_.begin(), end));
  }
  const std::uint64_t outliers_above = outliers_->tree.size() - outliers_->up_to(points);
  return points < 0 ? outliers_above + cells_->size() : outliers_above;
}

std::uint64_t RankBoard::below(std::int64_t points) const {
  return points == kNoFloor ? 0 : size_ - above(points - 1);
}

std::size_t RankBoard::bytes() const {
  constexpr std::size_t kTreeNode = sizeof(Outliers::Key) + 5 * sizeof(void*);
  return (cells_ ? cells_->bytes() : 0) + outliers_->tree.size() * kTreeNode +
         tree_.size() * sizeof(BoardMember) * 4 / 3 + lists_.bytes();
}

void RankBoard::count_in(const BoardEntry& member) {
  ++size_;
  if (ScoreCells::holds(member.points)) {
    if (cells_) cells_->add(member.points);
    return;
  }
  outliers_->tree.insert({member.points, member.account});
  if (member.points > 0) ++high_outliers_;
}

void RankBoard::count_out(const BoardEntry& member) {
  CHECK(size_ > 0, "who leaves the board was on it");
  --size_;
  if (ScoreCells::holds(member.points)) {
    if (cells_) cells_->remove(member.points);
    return;
  }
  const bool erased = outliers_->tree.erase({member.points, member.account});
  CHECK(erased, "who leaves the board was on it");
  if (member.points > 0) --high_outliers_;
}

// From the tree, which holds everybody as long as there are none.
void RankBoard::make_cells() {
  ScoreCells::Builder cells;
  for (auto member = tree_.begin(); member != tree_.end();) {
    if (!ScoreCells::holds(member->entry.points)) {
      ++member;
      continue;
    }
    cells.count(member->entry.points);
    lists_.insert(*member);
    member = tree_.erase(member);
  }
  cells_ = std::make_unique<ScoreCells>(std::move(cells).finish());
}

void RankBoard::put_in_band(const BoardMember& member) {
  if (has_list(member.entry.points)) {
    lists_.insert(member);
  } else {
    tree_.insert(member);
  }
}

void RankBoard::take_out_of_band(const BoardMember& member) {
  if (has_list(member.entry.points)) {
    lists_.erase(member.entry.points);
  } else {
    tree_.erase(member);
  }
}

void RankBoard::enter(const BoardMember& member) {
  if (!cells_ && size_ >= counted_max_) make_cells();
  count_in(member.entry);
  if (in_band(member.entry.points)) put_in_band(member);
  balance_band();
}

void RankBoard::leave(const BoardMember& member) {
  count_out(member.entry);
  if (in_band(member.entry.points)) take_out_of_band(member);
  balance_band();
}

void RankBoard::move_otherwise(MemberNumber member, const BoardEntry& from, const BoardEntry& to) {
  if (from == to) return;
  const bool of_lists = has_list(from.points) && has_list(to.points);
  if (of_lists && from.points == to.points) {  // in the band, or it had only a cell
    return lists_.put_again({member, to});
  }
  if (of_lists) {
    cells_->move(from.points, to.points);
  } else {
    count_out(from);
    count_in(to);
  }
  if (in_band(from.points)) take_out_of_band({member, from});
  if (in_band(to.points)) put_in_band({member, to});
  balance_band();
}

void RankBoard::change(MemberNumber member, const std::optional<BoardEntry>& from,
                       const std::optional<BoardEntry>& to) {
  if (from && to) {
    move(member, *from, *to);
  } else if (from) {
    leave({member, *from});
  } else if (to) {
    enter({member, *to});
  }
}

void RankBoard::rebuild() {
  rebuild([this](std::int64_t lowest, std::int64_t highest, const Visit& visit) {
    table_.scan(lowest, highest, visit);
  });
}

void RankBoard::rebuild(const Scan& scan) {
  ScoreCells::Builder cells;
  outliers_ = std::make_unique<Outliers>();
  high_outliers_ = 0;
  size_ = 0;
  cells_.reset();
  scan(kNoFloor, kNoCeiling, [&](const BoardMember& member) {
    count_in(member.entry);
    if (ScoreCells::holds(member.entry.points)) cells.count(member.entry.points);
  });
  tree_.clear();
  lists_.clear();
  floor_ = kNoFloor;
  if (size_ > counted_max_) {
    cells_ = std::make_unique<ScoreCells>(std::move(cells).finish());
    floor_ = floor_for(band_members_);
  }
  fill_band(kNoCeiling, scan);
}

// Half and twice the size keep one member who goes to and fro from moving the floor each time.
void RankBoard::balance_band() {
  if (band_size() > 2 * band_members_) {
    floor_ = floor_for(band_members_);
    while (!tree_.empty() && !in_band(tree_.rbegin()->entry.points))
      tree_.erase(std::prev(tree_.end()));
    lists_.erase_below(floor_);
  } else if (floor_ != kNoFloor && band_size() < (band_members_ + 1) / 2) {
    const std::int64_t lower = floor_for(band_members_);
    if (lower >= floor_) return;
    const std::int64_t old_floor = std::exchange(floor_, lower);
    fill_band(old_floor - 1, [this](std::int64_t lowest, std::int64_t highest, const Visit& visit) {
      table_.scan(lowest, highest, visit);
    });
  }
}

// The lowest score at or above which there are at most so many members.
std::int64_t RankBoard::floor_for(std::uint64_t members) const {
  if (size() <= members) return kNoFloor;
  std::int64_t too_low = kNoFloor;
  std::int64_t enough = std::numeric_limits<std::int64_t>::max();
  while (too_low + 1 < enough) {
    const std::int64_t middle = std::midpoint(too_low, enough);
    (above(middle - 1) <= members ? enough : too_low) = middle;
  }
  return enough;
}

// Takes in those from the floor up to `highest` points.
void RankBoard::fill_band(std::int64_t highest, const Scan& scan) {
  scan(floor_, highest, [&](const BoardMember& member) {
    if (has_list(member.entry.points)) {
      lists_.gather(member);
    } else {
      tree_.insert(member);
    }
  });
  lists_.restore_order();
}

std::vector<BoardEntry> RankBoard::after(const std::optional<BoardEntry>& place,
                                         std::size_t limit) const {
  std::vector<BoardEntry> found;
  found.reserve(std::min(limit, band_size()));
  auto next = place ? tree_.upper_bound(*place) : tree_.begin();
  const auto take_from_tree = [&](std::int64_t lowest) {
    for (; next != tree_.end() && next->entry.points >= lowest && found.size() < limit; ++next) {
      found.push_back(next->entry);
    }
  };
  take_from_tree(ScoreCells::kScores);
  lists_.after(place, limit, found);
  take_from_tree(kNoFloor);
  if (found.size() < limit && floor_ != kNoFloor) {
    const auto deeper = scan_after(place, limit - found.size());
    found.insert(found.end(), deeper.begin(), deeper.end());
  }
  return found;
}

std::vector<BoardEntry> RankBoard::before(const BoardEntry& place, std::size_t limit) const {
  std::vector<BoardEntry> found;
  if (!in_band(place.points)) found = scan_before(place, limit);
  const std::size_t wanted = limit - found.size();
  std::vector<BoardEntry> higher;
  auto next = tree_.lower_bound(place);
  const auto take_from_tree = [&](std::int64_t highest) {
    while (next != tree_.begin() && higher.size() < wanted) {
      const BoardEntry& entry = std::prev(next)->entry;
      if (entry.points > highest) return;
      higher.push_back(entry);
      --next;
    }
  };
  take_from_tree(ScoreCells::kScores - 1);
  lists_.before(place, wanted, higher);
  take_from_tree(kNoCeiling);
  found.insert(found.begin(), higher.rbegin(), higher.rend());
  return found;
}

std::vector<BoardEntry> RankBoard::scan_after(const std::optional<BoardEntry>& place,
                                              std::size_t limit) const {
  std::vector<BoardEntry> best;  // a heap whose front is the last of them in board order
  const BoardOrder ahead;
  const std::int64_t highest = place ? std::min(place->points, floor_ - 1) : floor_ - 1;
  // With all who have `highest` points there are enough down to this score.
  const std::uint64_t enough = size_ - below(highest) + limit;
  const std::int64_t lowest = enough >= size_ ? kNoFloor : floor_for(enough - 1) - 1;
  table_.scan(lowest, highest, [&](const BoardMember& scanned) {
    const BoardEntry& member = scanned.entry;
    if (place && !ahead(*place, member)) return;
    if (best.size() == limit) {
      if (!ahead(member, best.front())) return;
      std::pop_heap(best.begin(), best.end(), ahead);
      best.pop_back();
    }
    best.push_back(member);
    std::push_heap(best.begin(), best.end(), ahead);
  });
  std::sort_heap(best.begin(), best.end(), ahead);
  return best;
}

std::vector<BoardEntry> RankBoard::scan_before(const BoardEntry& place, std::size_t limit) const {
  std::vector<BoardEntry> nearest;  // a heap whose front is the first of them in board order
  const BoardOrder ahead;
  const auto behind = [&](const BoardEntry& left, const BoardEntry& right) {
    return ahead(right, left);
  };
  if (limit == 0) return nearest;
  // Those with more points are enough up to this score.
  const std::uint64_t higher = above(place.points);
  const std::int64_t highest =
      higher <= limit ? floor_ - 1 : std::min(floor_ - 1, floor_for(higher - limit) - 1);
  table_.scan(place.points, highest, [&](const BoardMember& scanned) {
    const BoardEntry& member = scanned.entry;
    if (!ahead(member, place)) return;
    if (nearest.size() == limit) {
      if (!ahead(nearest.front(), member)) return;
      std::pop_heap(nearest.begin(), nearest.end(), behind);
      nearest.pop_back();
    }
    nearest.push_back(member);
    std::push_heap(nearest.begin(), nearest.end(), behind);
  });
  std::sort(nearest.begin(), nearest.end(), ahead);
  return nearest;
}

}  // namespace tideline::scoring
