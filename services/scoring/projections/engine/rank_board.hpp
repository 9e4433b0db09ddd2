// The board: everybody in the order (points falling, reached_at rising, account id rising), and the
// competition rank of any score: 1 + the number of members strictly above it.
//
// - Ranks come from ScoreCells; scores from 2^20 on and negative ones, which are rare, lie in an
//   order-statistic tree.
// - Lists come from the top band: the ordered members of the highest scores, between half and twice
//   `band_members` of them (all, while there are not more), always whole scores. Further down there
//   is no list: what is asked for there is found by a scan of all members.
//
// A board of few members, all of whom are in the band, has no cells: their ranks are counted.
//
// The board does not own its members: `scan` visits those with points in a range, and is called
// when the band is to be filled or a list reaches below it. Whoever changes a member changes his
// own books first and tells the board then. Not synchronized.
#pragma once

#include <absl/container/btree_set.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "scoring/projections/engine/score_cells.hpp"

namespace tideline::scoring {

struct BoardEntry {
  std::int64_t points = 0;
  core::Timestamp reached_at;
  core::AccountId account;
  friend bool operator==(const BoardEntry&, const BoardEntry&) = default;
};

struct BoardOrder {
  bool operator()(const BoardEntry& left, const BoardEntry& right) const {
    if (left.points != right.points) return left.points > right.points;
    if (left.reached_at != right.reached_at) return left.reached_at < right.reached_at;
    return left.account < right.account;
  }
};

class RankBoard {
 public:
  using Visit = std::function<void(const BoardEntry&)>;
  // Visits every member with points from `lowest` to `highest`.
  using Scan = std::function<void(std::int64_t lowest, std::int64_t highest, const Visit&)>;

  RankBoard(std::size_t band_members, Scan scan);
  ~RankBoard();
  RankBoard(const RankBoard&) = delete;
  RankBoard& operator=(const RankBoard&) = delete;

  // Takes up what the scan visits, instead of all that was known.
  void rebuild() { rebuild(scan_); }
  // The same from another scan, which visits the same members and may know a shorter way to them.
  void rebuild(const Scan& scan);

  void enter(const BoardEntry& member);
  void leave(const BoardEntry& member);
  void move(const BoardEntry& from, const BoardEntry& to);
  // Whichever of the three it is; nullopt: not on the board.
  void change(const std::optional<BoardEntry>& from, const std::optional<BoardEntry>& to);

  std::uint64_t above(std::int64_t points) const;
  std::uint64_t rank_of(std::int64_t points) const { return above(points) + 1; }
  // Members with fewer points.
  std::uint64_t below(std::int64_t points) const;
  std::uint64_t size() const { return size_; }
  std::size_t band_size() const { return band_.size(); }
  bool has_cells() const { return cells_ != nullptr; }
  // About: the band's tree is taken to be three quarters full.
  std::size_t bytes() const;
  // Of the cells, see there; 0 as long as there are none.
  std::uint64_t cells_touched() const { return cells_ ? cells_->cells_touched() : 0; }

  // At most `limit` entries behind `place`, from the top for nullopt; the place itself, which need
  // not be a member, is not among them.
  std::vector<BoardEntry> after(const std::optional<BoardEntry>& place, std::size_t limit) const;
  // The `limit` entries immediately ahead of `place`, in board order.
  std::vector<BoardEntry> before(const BoardEntry& place, std::size_t limit) const;

 private:
  struct Outliers;
  static constexpr std::int64_t kNoFloor = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kNoCeiling = std::numeric_limits<std::int64_t>::max();

  void count_in(const BoardEntry& member);
  void count_out(const BoardEntry& member);
  void make_cells();
  bool in_band(const BoardEntry& member) const { return member.points >= floor_; }
  void balance_band();
  std::int64_t floor_for(std::uint64_t members) const;
  void fill_band(std::int64_t highest, const Scan& scan);
  std::vector<BoardEntry> scan_after(const std::optional<BoardEntry>& place,
                                     std::size_t limit) const;
  std::vector<BoardEntry> scan_before(const BoardEntry& place, std::size_t limit) const;

  const std::size_t band_members_;
  const std::size_t counted_max_;  // members without cells
  const Scan scan_;
  std::uint64_t size_ = 0;
  std::unique_ptr<ScoreCells> cells_;
  std::unique_ptr<Outliers> outliers_;
  absl::btree_set<BoardEntry, BoardOrder> band_;
  std::int64_t floor_ = kNoFloor;  // the band holds everybody with at least so many points
};

}  // namespace tideline::scoring
