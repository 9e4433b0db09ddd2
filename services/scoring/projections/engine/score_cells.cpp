#include "scoring/projections/engine/score_cells.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

namespace tideline::scoring {
namespace {

std::size_t index_of(std::int64_t score) {
  CHECK(ScoreCells::holds(score), "a score outside the cells");
  return static_cast<std::size_t>(score);
}

}  // namespace

ScoreCells::ScoreCells() : above_in_block_(kBlocks), above_block_(kBlocks) {}

ScoreCells::Block& ScoreCells::block_at(std::size_t index) {
  auto& block = above_in_block_[index];
  if (!block) block = std::make_unique<Block>();
  return *block;
}

void ScoreCells::raise_cells(std::size_t block, std::size_t begin, std::size_t end) {
  Block& cells = block_at(block);
  for (std::size_t i = begin; i < end; ++i) ++cells[i];
  touched_ += end - begin;
}

void ScoreCells::lower_cells(std::size_t block, std::size_t begin, std::size_t end) {
  Block& cells = block_at(block);
  for (std::size_t i = begin; i < end; ++i) --cells[i];
  touched_ += end - begin;
}

void ScoreCells::add(std::int64_t score) {
  const std::size_t at = index_of(score);
  const std::size_t block = at / kBlock;
  raise_cells(block, 0, at % kBlock);
  for (std::size_t i = 0; i < block; ++i) ++above_block_[i];
  touched_ += block;
  ++size_;
}

void ScoreCells::remove(std::int64_t score) {
  const std::size_t at = index_of(score);
  const std::size_t block = at / kBlock;
  lower_cells(block, 0, at % kBlock);
  for (std::size_t i = 0; i < block; ++i) --above_block_[i];
  touched_ += block;
  --size_;
}

void ScoreCells::move(std::int64_t from, std::int64_t to) {
  const std::size_t old_at = index_of(from);
  const std::size_t new_at = index_of(to);
  const std::size_t old_block = old_at / kBlock;
  const std::size_t new_block = new_at / kBlock;
  if (old_block == new_block) {
    if (new_at > old_at) {
      raise_cells(old_block, old_at % kBlock, new_at % kBlock);
    } else {
      lower_cells(old_block, new_at % kBlock, old_at % kBlock);
    }
    return;
  }
  lower_cells(old_block, 0, old_at % kBlock);
  raise_cells(new_block, 0, new_at % kBlock);
  for (std::size_t i = old_block; i < new_block; ++i) ++above_block_[i];
  for (std::size_t i = new_block; i < old_block; ++i) --above_block_[i];
  touched_ += std::max(old_block, new_block) - std::min(old_block, new_block);
}

std::uint64_t ScoreCells::above(std::int64_t score) const {
  const std::size_t at = index_of(score);
  const auto& block = above_in_block_[at / kBlock];
  return above_block_[at / kBlock] + (block ? (*block)[at % kBlock] : 0);
}

std::size_t ScoreCells::bytes() const {
  const auto blocks =
      static_cast<std::size_t>(std::count_if(above_in_block_.begin(), above_in_block_.end(),
                                             [](const auto& block) { return block != nullptr; }));
  return blocks * sizeof(Block) +
         kBlocks * (sizeof above_in_block_.front() + sizeof above_block_.front());
}

void ScoreCells::Builder::count(std::int64_t score) {
  const std::size_t at = index_of(score);
  ++cells_.block_at(at / kBlock)[at % kBlock];
}

ScoreCells ScoreCells::Builder::finish() && {
  for (std::size_t index = kBlocks; index-- > 0;) {
    cells_.above_block_[index] = cells_.size_;
    if (!cells_.above_in_block_[index]) continue;
    Block& block = *cells_.above_in_block_[index];
    std::uint32_t above = 0;
    for (std::size_t at = kBlock; at-- > 0;) above += std::exchange(block[at], above);
    cells_.size_ += above;
  }
  return std::move(cells_);
}

}  // namespace tideline::scoring
