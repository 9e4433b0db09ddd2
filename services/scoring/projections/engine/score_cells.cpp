#include "scoring/projections/engine/score_cells.hpp"

#include <utility>

#include "core/check.hpp"

namespace tideline::scoring {
namespace {

std::size_t index_of(std::int64_t score) {
  CHECK(ScoreCells::holds(score), "a score outside the cells");
  return static_cast<std::size_t>(score);
}

}  // namespace

ScoreCells::ScoreCells() : above_in_block_(kScores), above_block_(kScores / kBlock) {}

void ScoreCells::raise_cells(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) ++above_in_block_[i];
}

void ScoreCells::lower_cells(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) --above_in_block_[i];
}

void ScoreCells::add(std::int64_t score) {
  const std::size_t at = index_of(score);
  const std::size_t block = at / kBlock;
  raise_cells(block * kBlock, at);
  for (std::size_t i = 0; i < block; ++i) ++above_block_[i];
  ++size_;
}

void ScoreCells::remove(std::int64_t score) {
  const std::size_t at = index_of(score);
  const std::size_t block = at / kBlock;
  lower_cells(block * kBlock, at);
  for (std::size_t i = 0; i < block; ++i) --above_block_[i];
  --size_;
}

void ScoreCells::move(std::int64_t from, std::int64_t to) {
  const std::size_t old_at = index_of(from);
  const std::size_t new_at = index_of(to);
  const std::size_t old_block = old_at / kBlock;
  const std::size_t new_block = new_at / kBlock;
  if (old_block == new_block) {
    if (new_at > old_at) {
      raise_cells(old_at, new_at);
    } else {
      lower_cells(new_at, old_at);
    }
    return;
  }
  lower_cells(old_block * kBlock, old_at);
  raise_cells(new_block * kBlock, new_at);
  for (std::size_t i = old_block; i < new_block; ++i) ++above_block_[i];
  for (std::size_t i = new_block; i < old_block; ++i) --above_block_[i];
}

std::uint64_t ScoreCells::above(std::int64_t score) const {
  const std::size_t at = index_of(score);
  return above_block_[at / kBlock] + above_in_block_[at];
}

ScoreCells::Builder::Builder() : counts_(kScores) {}

void ScoreCells::Builder::count(std::int64_t score) { ++counts_[index_of(score)]; }

ScoreCells ScoreCells::Builder::finish() && {
  ScoreCells cells;
  for (std::size_t block = kScores / kBlock; block-- > 0;) {
    cells.above_block_[block] = cells.size_;
    std::uint32_t above = 0;
    for (std::size_t at = (block + 1) * kBlock; at-- > block * kBlock;) {
      above += std::exchange(counts_[at], above);
    }
    cells.size_ += above;
  }
  cells.above_in_block_ = std::move(counts_);
  return cells;
}

}  // namespace tideline::scoring
