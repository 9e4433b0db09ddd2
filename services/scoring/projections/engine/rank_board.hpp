// The board: everybody in the order (points falling, reached_at rising, account id rising), and the
// competition rank of any score: 1 + the number of members strictly above it.
//
// - Ranks come from ScoreCells; scores from 2^20 on and negative ones, which are rare, lie in an
//   order-statistic tree.
// - Lists come from the top band: the members of the highest scores, between half and twice
//   `band_members` of them (all, while there are not more), always whole scores. They stand in
//   ScoreLists, those of the rare other scores in a tree. Further down there is no list: what is
//   asked for there is found by a scan of all members.
//
// A board of few members has neither cells nor lists: all of them stand in the tree, and their
// ranks are counted.
//
// The board does not own its members, see BoardMembers, whose scan is called when the band is to be
// filled or a list reaches below it. Not synchronized.
#pragma once

#include <absl/container/btree_set.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "scoring/projections/engine/board_members.hpp"
#include "scoring/projections/engine/score_cells.hpp"
#include "scoring/projections/engine/score_lists.hpp"

namespace tideline::scoring {

class RankBoard {
 public:
  using Visit = BoardMembers::Visit;
  // As BoardMembers::scan().
  using Scan = std::function<void(std::int64_t lowest, std::int64_t highest, const Visit&)>;

  // The table outlives the board.
  RankBoard(std::size_t band_members, const BoardMembers& table);
  ~RankBoard();
  RankBoard(const RankBoard&) = delete;
  RankBoard& operator=(const RankBoard&) = delete;

  // Takes up whom the table hold, instead of all that was known.
  void rebuild();
  // The same from a scan that visits the same members and knows a shorter way to them.
  void rebuild(const Scan& scan);

  void enter(const BoardMember& member);
  void leave(const BoardMember& member);
  void move(MemberNumber member, const BoardEntry& from, const BoardEntry& to) {
    if (has_only_cell(from.points) && has_only_cell(to.points)) {
      return cells_->move(from.points, to.points);
    }
    move_otherwise(member, from, to);
  }
  // Whichever of the three it is; nullopt: not on the board.
  void change(MemberNumber member, const std::optional<BoardEntry>& from,
              const std::optional<BoardEntry>& to);

  std::uint64_t above(std::int64_t points) const {
    if (has_list(points)) return high_outliers_ + cells_->above(points);
    return above_otherwise(points);
  }
  std::uint64_t rank_of(std::int64_t points) const { return above(points) + 1; }
  // Members with fewer points.
  std::uint64_t below(std::int64_t points) const;
  std::uint64_t size() const { return size_; }
  std::size_t band_size() const { return tree_.size() + lists_.size(); }
  bool has_cells() const { return cells_ != nullptr; }
  // About: the tree is taken to be three quarters full.
  std::size_t bytes() const;
  // Of the cells, see there; 0 as long as there are none.
  std::uint64_t cells_touched() const { return cells_ ? cells_->cells_touched() : 0; }
  // Of the lists, see there.
  std::uint64_t entries_settled() const { return lists_.entries_settled(); }

  // At most `limit` entries behind `place`, from the top for nullopt; the place itself, which need
  // not be a member, is not among them.
  std::vector<BoardEntry> after(const std::optional<BoardEntry>& place, std::size_t limit) const;
  // The `limit` entries immediately ahead of `place`, in board order.
  std::vector<BoardEntry> before(const BoardEntry& place, std::size_t limit) const;

 private:
  struct Outliers;
  struct TreeOrder {
    using is_transparent = void;
    bool operator()(const BoardMember& left, const BoardMember& right) const {
      return BoardOrder{}(left.entry, right.entry);
    }
    bool operator()(const BoardMember& left, const BoardEntry& right) const {
      return BoardOrder{}(left.entry, right);
    }
    bool operator()(const BoardEntry& left, const BoardMember& right) const {
      return BoardOrder{}(left, right.entry);
    }
  };
  static constexpr std::int64_t kNoFloor = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kNoCeiling = std::numeric_limits<std::int64_t>::max();

  void count_in(const BoardEntry& member);
  void count_out(const BoardEntry& member);
  void make_cells();
  bool in_band(std::int64_t points) const { return points >= floor_; }
  bool has_list(std::int64_t points) const { return cells_ && ScoreCells::holds(points); }
  // Below the band: what most of many members are.
  bool has_only_cell(std::int64_t points) const { return has_list(points) && !in_band(points); }
  void move_otherwise(MemberNumber member, const BoardEntry& from, const BoardEntry& to);
  std::uint64_t above_otherwise(std::int64_t points) const;
  void put_in_band(const BoardMember& member);
  void take_out_of_band(const BoardMember& member);
  void balance_band();
  std::int64_t floor_for(std::uint64_t members) const;
  void fill_band(std::int64_t highest, const Scan& scan);
  std::vector<BoardEntry> scan_after(const std::optional<BoardEntry>& place,
                                     std::size_t limit) const;
  std::vector<BoardEntry> scan_before(const BoardEntry& place, std::size_t limit) const;

  const std::size_t band_members_;
  const std::size_t counted_max_;  // members without cells
  const BoardMembers& table_;
  std::uint64_t size_ = 0;
  std::unique_ptr<ScoreCells> cells_;
  std::unique_ptr<Outliers> outliers_;
  std::uint64_t high_outliers_ = 0;  // above every cell
  // The band holds everybody with at least so many points: without cells all of them in the tree,
  // with cells only those whose score has neither cell nor list.
  std::int64_t floor_ = kNoFloor;
  absl::btree_set<BoardMember, TreeOrder> tree_;
  ScoreLists lists_;
};

}  // namespace tideline::scoring
