// The board: everybody in the order (points falling, reached_at rising, account id rising), and the
// competition rank of any score: 1 + the number of members strictly above it.
//
// - Ranks come from ScoreCells; scores from 2^20 on and negative ones, which are rare, lie in an
//   order-statistic tree.
// - Lists come from the top band: the ordered members of the highest scores, between half and twice
//   `band_members` of them (all, while there are not more), always whole scores. Further down there
//   is no list: what is asked for there is found by a scan of all members.
//
// The board does not own its members: `scan` visits them all, and is called when the band is to be
// filled or a list reaches below it. Whoever changes a member changes his own books first and tells
// the board then. Not synchronized.
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
  using Scan = std::function<void(const Visit&)>;

  RankBoard(std::size_t band_members, Scan scan);
  ~RankBoard();
  RankBoard(const RankBoard&) = delete;
  RankBoard& operator=(const RankBoard&) = delete;

  // Takes up what `scan` visits, instead of all that was known.
  void rebuild();

  void enter(const BoardEntry& member);
  void leave(const BoardEntry& member);
  void move(const BoardEntry& from, const BoardEntry& to);

  std::uint64_t above(std::int64_t points) const;
  std::uint64_t rank_of(std::int64_t points) const { return above(points) + 1; }
  std::uint64_t size() const;
  std::size_t band_size() const { return band_.size(); }

  // At most `limit` entries behind `place`, from the top for nullopt; the place itself, which need
  // not be a member, is not among them.
  std::vector<BoardEntry> after(const std::optional<BoardEntry>& place, std::size_t limit) const;
  // The `limit` entries immediately ahead of `place`, in board order.
  std::vector<BoardEntry> before(const BoardEntry& place, std::size_t limit) const;

 private:
  struct Outliers;
  static constexpr std::int64_t kNoFloor = std::numeric_limits<std::int64_t>::min();

  void count_in(const BoardEntry& member);
  void count_out(const BoardEntry& member);
  bool in_band(const BoardEntry& member) const { return member.points >= floor_; }
  void balance_band();
  std::int64_t floor_for(std::uint64_t members) const;
  void fill_band(std::int64_t below);
  std::vector<BoardEntry> scan_after(const std::optional<BoardEntry>& place,
                                     std::size_t limit) const;
  std::vector<BoardEntry> scan_before(const BoardEntry& place, std::size_t limit) const;

  const std::size_t band_members_;
  const Scan scan_;
  ScoreCells cells_;
  std::unique_ptr<Outliers> outliers_;
  absl::btree_set<BoardEntry, BoardOrder> band_;
  std::int64_t floor_ = kNoFloor;  // the band holds everybody with at least so many points
};

}  // namespace tideline::scoring
