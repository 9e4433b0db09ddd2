// How many members stand strictly above a score, for scores 0 to 2^20 - 1.
//
// An array indexed by score, cut into blocks of 2^10: a cell holds how many members of its own
// block stand above its score, a block how many stand in the blocks above it. So above() adds two
// numbers, a member who earns d points changes d adjacent cells, and no change touches more than
// three blocks' worth of cells, however far it goes. 16 KiB, and 4 for each block in which somebody
// stands: at most 4 MiB, whatever the number of members.
//
// Not synchronized.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tideline::scoring {

class ScoreCells {
 public:
  static constexpr std::int64_t kScores = std::int64_t{1} << 20;
  static constexpr bool holds(std::int64_t score) { return score >= 0 && score < kScores; }

  ScoreCells();

  // Scores must be held; a score is removed only after it was added.
  void add(std::int64_t score);
  void remove(std::int64_t score);
  void move(std::int64_t from, std::int64_t to);
  std::uint64_t above(std::int64_t score) const;
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
  using Block = std::array<std::uint32_t, kBlock>;

  Block& block_at(std::size_t index);
  void raise_cells(std::size_t block, std::size_t begin, std::size_t end);
  void lower_cells(std::size_t block, std::size_t begin, std::size_t end);

  // By block: of its scores, or nullptr where nobody ever stood.
  std::vector<std::unique_ptr<Block>> above_in_block_;
  std::vector<std::uint64_t> above_block_;
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
