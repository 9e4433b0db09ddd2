// The members on each score from 0 to 2^20 - 1, in the order (reached_at rising, account id
// rising).
//
// A score in use has a list, an array of (reached_at, member). Time mostly rises, so that who comes
// to a score mostly belongs at the end of its list; who does not waits behind it, in a tail without
// order. Who leaves a score is not looked for: his entry is stale from then on, which the table
// tell. A list is put in order, without stale entries, when its tail is longer than four times the
// root of its length, or when a third of it is stale; so a change costs neither a search nor a
// shift, and a reader passes over a third of a list at most.
//
// 16 bytes an entry, 40 a score in use, and what arrays keep spare.
//
// Not synchronized. Reading changes nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "scoring/projections/engine/board_members.hpp"
#include "scoring/projections/engine/score_cells.hpp"

namespace tideline::scoring {

class ScoreLists {
 public:
  // The table outlives the lists. Scores must be held by ScoreCells.
  explicit ScoreLists(const BoardMembers& table) : table_(&table) {}

  // The table says so already.
  void insert(const BoardMember& member);
  // He was inserted with that score, and the table does not say so any more.
  void erase(std::int64_t score);
  // He was inserted with the same score and another time.
  void put_again(const BoardMember& member);
  // As insert(), for many: the lists may be read after restore_order() alone.
  void gather(const BoardMember& member);
  void restore_order();
  void erase_below(std::int64_t score);
  void clear();

  std::size_t size() const { return size_; }
  // Passes over every list.
  std::size_t bytes() const;
  // Entries that have been put in order since the beginning: what changes cost beside themselves,
  // without a clock.
  std::uint64_t entries_settled() const { return settled_; }

  // Adds to `found` who stands behind `place` in board order, from the top for nullopt, until
  // `found` holds `limit`. The place need not be a member and need not have a score of these lists.
  void after(const std::optional<BoardEntry>& place, std::size_t limit,
             std::vector<BoardEntry>& found) const;
  // The same ahead of the place, the nearest first.
  void before(const BoardEntry& place, std::size_t limit, std::vector<BoardEntry>& found) const;

 private:
  static constexpr std::size_t kBlock = 1U << 10;
  static constexpr std::size_t kBlocks = static_cast<std::size_t>(ScoreCells::kScores) / kBlock;
  static constexpr std::size_t kWordBits = 64;
  static constexpr std::size_t kWords = kBlock / kWordBits;

  struct Entry {
    core::Timestamp reached_at;
    MemberNumber member = 0;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  // Of entries, and of entries with a place on the same score.
  struct Ahead;
  struct List {
    std::uint32_t score = 0;
    std::uint32_t live = 0;     // members on the score: entries that are not stale
    std::uint32_t ordered = 0;  // so many entries are in order, the tail is behind them
    // The same one twice, where a member came back at the same time: one of them counts as stale.
    std::vector<Entry> entries;

    std::size_t stale() const { return entries.size() - live; }
  };
  // The lists of 1,024 adjacent scores, those in use alone.
  struct Block {
    std::array<std::uint64_t, kWords> used{};     // a bit for each score
    std::array<std::uint16_t, kWords> earlier{};  // bits of the words before
    std::vector<List> lists;                      // by rising score

    bool uses(std::size_t offset) const;
    // Lists of lower scores of the block.
    std::size_t lists_below(std::size_t offset) const;
  };

  List& list_of(std::int64_t score);
  Block& block_of(std::int64_t score) const;
  void remove_list(std::int64_t score);
  static void push(List& list, const BoardMember& member, const Ahead& ahead);
  void restore_order_if_due(List& list);
  void restore_order(List& list);
  void drop_stale(List& list) const;
  bool is_stale(const List& list, const Entry& entry) const;
  template <class Iterator, class Order>
  void take(const List& list, Iterator first, Iterator last, std::vector<Entry> tail,
            const Order& order, std::size_t limit, std::vector<BoardEntry>& found) const;

  const BoardMembers* table_;
  std::vector<std::unique_ptr<Block>> blocks_;  // none, or kBlocks
  std::size_t size_ = 0;
  std::uint64_t settled_ = 0;
};

}  // namespace tideline::scoring
