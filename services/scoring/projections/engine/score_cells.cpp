#include "scoring/projections/engine/score_cells.hpp"

#include <algorithm>
#include <utility>

namespace tideline::scoring {

ScoreCells::ScoreCells()
    : pages_(kScores * sizeof(std::uint32_t), core::PageSize::Usual), above_block_(kBlocks) {}

void ScoreCells::enter_block(std::size_t at) {
  const std::size_t begin = at - at % kBlock;
  for (std::size_t i = begin; i < at; ++i) ++cells()[i];
  touched_ += at - begin;
  used_.set(at / kBlock);
}

void ScoreCells::leave_block(std::size_t at) {
  const std::size_t begin = at - at % kBlock;
  for (std::size_t i = begin; i < at; ++i) --cells()[i];
  touched_ += at - begin;
}

void ScoreCells::add(std::int64_t score) {
  const std::size_t at = index_of(score);
  const std::size_t block = at / kBlock;
  enter_block(at);
  for (std::size_t i = 0; i < block; ++i) ++above_block_[i];
  touched_ += block;
  ++size_;
}

void ScoreCells::remove(std::int64_t score) {
  const std::size_t at = index_of(score);
  const std::size_t block = at / kBlock;
  leave_block(at);
  for (std::size_t i = 0; i < block; ++i) --above_block_[i];
  touched_ += block;
  --size_;
}

void ScoreCells::move_blocks(std::size_t old_at, std::size_t new_at) {
  const std::size_t old_block = old_at / kBlock;
  const std::size_t new_block = new_at / kBlock;
  leave_block(old_at);
  enter_block(new_at);
  for (std::size_t i = old_block; i < new_block; ++i) ++above_block_[i];
  for (std::size_t i = new_block; i < old_block; ++i) --above_block_[i];
  touched_ += std::max(old_block, new_block) - std::min(old_block, new_block);
}

std::size_t ScoreCells::bytes() const {
  return used_.count() * kBlock * sizeof(std::uint32_t) + kBlocks * sizeof above_block_.front();
}

void ScoreCells::Builder::count(std::int64_t score) {
  const std::size_t at = index_of(score);
  ++cells_.cells()[at];
  cells_.used_.set(at / kBlock);
}

ScoreCells ScoreCells::Builder::finish() && {
  for (std::size_t index = kBlocks; index-- > 0;) {
    cells_.above_block_[index] = cells_.size_;
    if (!cells_.used_[index]) continue;
    std::uint32_t* const block = cells_.cells() + index * kBlock;
    std::uint32_t above = 0;
    for (std::size_t at = kBlock; at-- > 0;) above += std::exchange(block[at], above);
    cells_.size_ += above;
  }
  return std::move(cells_);
}

}  // namespace tideline::scoring
