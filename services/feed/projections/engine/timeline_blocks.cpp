#include "feed/projections/engine/timeline_blocks.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

namespace tideline::feed {

namespace {

std::size_t slabs_within(unsigned slab_class, std::size_t bytes_max) {
  const std::size_t all_lines = std::size_t{1} << 32;  // that a block can name
  const std::size_t slabs = bytes_max / TimelineBlocks::slab_bytes(slab_class);
  CHECK(slabs >= 1, "there is room for one timeline at least");
  // The very last line's number says that there is none.
  return std::min(slabs, (all_lines >> slab_class) - 1);
}

}  // namespace

TimelineBlocks::TimelineBlocks(unsigned slab_class, std::size_t bytes_max)
    : slab_class_(slab_class),
      slabs_max_(slabs_within(slab_class, bytes_max)),
      free_slabs_(slabs_max_) {
  CHECK(slab_class < kSizeClasses, "a block is no larger than that");
  with_free_blocks_.fill(kNone);
  reserve();
}

void TimelineBlocks::reserve() {
  const std::size_t lines = slabs_max_ << slab_class_;
  ids_memory_ = core::ZeroedPages(lines * kLineBytes, core::PageSize::Large);
  owners_memory_ = core::ZeroedPages(lines * sizeof(Owner), core::PageSize::Large);
  slabs_memory_ = core::ZeroedPages(slabs_max_ * sizeof(Slab), core::PageSize::Large);
  ids_ = static_cast<std::uint64_t*>(ids_memory_.data());
  owners_ = static_cast<Owner*>(owners_memory_.data());
  slabs_ = static_cast<Slab*>(slabs_memory_.data());
}

std::optional<TimelineBlocks::Block> TimelineBlocks::take(unsigned size_class, Owner owner) {
  const std::lock_guard lock(mutex_);
  std::uint32_t number = with_free_blocks_[size_class];
  if (number == kNone) number = open_slab(size_class);
  if (number == kNone) return std::nullopt;
  Slab& slab = slabs_[number];
  const Block block = slab.first_free;
  slab.first_free = static_cast<Block>(*ids_of(block));
  if (slab.first_free == kNone) remove(with_free_blocks_[size_class], number);
  ++slab.used;
  owners_[block] = owner;
  return block;
}

void TimelineBlocks::give_back(Block block) {
  const std::lock_guard lock(mutex_);
  const auto number = static_cast<std::uint32_t>(block >> slab_class_);
  Slab& slab = slabs_[number];
  auto& list = with_free_blocks_[slab.size_class];
  owners_[block] = kNobody;
  if (slab.first_free == kNone) put_first(list, number);
  *ids_of(block) = slab.first_free;
  slab.first_free = block;
  if (--slab.used > 0) return;
  remove(list, number);
  put_first(unused_, number);
  ++free_slabs_;
}

void TimelineBlocks::clear() {
  const std::lock_guard lock(mutex_);
  reserve();
  with_free_blocks_.fill(kNone);
  unused_ = kNone;
  slabs_taken_ = 0;
  free_slabs_ = slabs_max_;
}

// Cuts a slab that nobody uses.
std::uint32_t TimelineBlocks::open_slab(unsigned size_class) {
  std::uint32_t number = unused_;
  if (number != kNone) {
    remove(unused_, number);
  } else if (slabs_taken_ < slabs_max_) {
    number = static_cast<std::uint32_t>(slabs_taken_++);
  } else {
    return kNone;
  }
  --free_slabs_;
  Slab& slab = slabs_[number];
  slab.used = 0;
  slab.size_class = static_cast<std::uint16_t>(size_class);
  slab.first_free = kNone;
  const std::size_t step = std::size_t{1} << size_class;
  const std::size_t first = std::size_t{number} << slab_class_;
  // The first block comes out first.
  for (std::size_t line = first + (std::size_t{1} << slab_class_); line > first; line -= step) {
    const auto block = static_cast<Block>(line - step);
    owners_[block] = kNobody;
    *ids_of(block) = slab.first_free;
    slab.first_free = block;
  }
  put_first(with_free_blocks_[size_class], number);
  return number;
}

void TimelineBlocks::put_first(std::uint32_t& list, std::uint32_t slab) {
  slabs_[slab].previous = kNone;
  slabs_[slab].next = list;
  if (list != kNone) slabs_[list].previous = slab;
  list = slab;
}

void TimelineBlocks::remove(std::uint32_t& list, std::uint32_t slab) {
  const auto [previous, next] = std::pair(slabs_[slab].previous, slabs_[slab].next);
  if (previous == kNone) {
    list = next;
  } else {
    slabs_[previous].next = next;
  }
  if (next != kNone) slabs_[next].previous = previous;
}

}  // namespace tideline::feed
