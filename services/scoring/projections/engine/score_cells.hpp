// How many members stand strictly above a score, for scores 0 to 2^20 - 1.
//
// An array indexed by score, cut into blocks of 2^10: a cell holds how many members of its own
// block stand above its score, a block how many stand in the blocks above it. So above() adds two
// numbers, a member who earns d points changes d adjacent cells, and no change touches more than
// three blocks' worth of cells, however far it goes. 4 MiB whatever the number of members.
//
// Not synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
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

  // Everything anew, in time linear in members and scores: count() each, then finish().
  class Builder {
   public:
    Builder();
    void count(std::int64_t score);
    ScoreCells finish() &&;

   private:
    std::vector<std::uint32_t> counts_;
  };

 private:
  static constexpr std::size_t kBlock = 1U << 10;

  void raise_cells(std::size_t begin, std::size_t end);
  void lower_cells(std::size_t begin, std::size_t end);

  std::vector<std::uint32_t> above_in_block_;  // by score
  std::vector<std::uint64_t> above_block_;     // by block
  std::uint64_t size_ = 0;
};

}  // namespace tideline::scoring
