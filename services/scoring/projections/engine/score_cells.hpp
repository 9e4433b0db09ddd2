// How many members stand strictly above a score, for scores 0 to 2^20 - 1.
//
// An array indexed by score, cut into blocks of 2^10: a cell holds how many members of its own
// block stand above its score, a block how many stand in the blocks above it. So above() adds two
// numbers, a member who earns d points changes d adjacent cells, and no change touches more than
// three blocks' worth of cells, however far it goes. 8 KiB, and 4 for each block in which somebody
// stands, for its cells are a page: at most 4 MiB, whatever the number of members.
//
// Not synchronized.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/check.hpp"
#include "core/zeroed_pages.hpp"

namespace tideline::scoring {

class ScoreCells {
 public:
  static constexpr std::int64_t kScores = std::int64_t{1} << 20;
  static constexpr bool holds(std::int64_t score) { return score >= 0 && score < kScores; }

  ScoreCells();

  // Scores must be held; a score is removed only after it was added.
  void add(std::int64_t score);
  void remove(std::int64_t score);
  void move(std::int64_t from, std::int64_t to) {
    const std::size_t old_at = index_of(from);
    const std::size_t new_at = index_of(to);
    if (old_at / kBlock != new_at / kBlock) return move_blocks(old_at, new_at);
    // From one score of the block to another: nobody comes to the block, nobody leaves it.
    std::uint32_t* const all = cells();
    for (std::size_t i = old_at; i < new_at; ++i) ++all[i];
    for (std::size_t i = new_at; i < old_at; ++i) --all[i];
    touched_ += new_at > old_at ? new_at - old_at : old_at - new_at;
  }
  std::uint64_t above(std::int64_t score) const {
    const std::size_t at = index_of(score);
    return above_block_[at / kBlock] + cells()[at];
  }
  std::uint64_t size() const { return size_; }
  std::size_t bytes() const;
  // Cells and blocks that changes have written since the beginning: what they cost, without a
  // clock.
  std::uint64_t cells_touched() const { return touched_; }

  // Everything anew, in time linear in members and scores: count() each, then finish().
  class Builder;

 private:
  static constexpr std::size_t kBlock = 1U << 10;
  static constexpr std::size_t kBlocks = static_cast<std::size_t>(kScores) / kBlock;

  static std::size_t index_of(std::int64_t score) {
    CHECK(holds(score), "a score outside the cells");
    return static_cast<std::size_t>(score);
  }
  std::uint32_t* cells() const { return static_cast<std::uint32_t*>(pages_.data()); }
  // Who stands at `at` comes to its block, or leaves it: all cells of the block below change.
  void enter_block(std::size_t at);
  void leave_block(std::size_t at);
  void move_blocks(std::size_t old_at, std::size_t new_at);

  core::ZeroedPages pages_;  // by score: above it in its block
  std::vector<std::uint64_t> above_block_;
  std::bitset<kBlocks> used_;  // in which somebody ever stood
  std::uint64_t size_ = 0;
  std::uint64_t touched_ = 0;
};

class ScoreCells::Builder {
 public:
  void count(std::int64_t score);
  ScoreCells finish() &&;

 private:
  ScoreCells cells_;  // each cell counts its own members, until finish()
};

}  // namespace tideline::scoring
