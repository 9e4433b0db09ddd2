#include "feed/projections/engine/viewer_timelines.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/check.hpp"

namespace tideline::feed {
namespace {

constexpr std::uint32_t kSizeBits = 2 * ViewerTimelines::kLengthMax - 1;

// The smallest block that holds so many ids.
unsigned class_for(std::size_t ids) {
  const std::size_t lines = (ids + TimelineBlocks::kLineIds - 1) / TimelineBlocks::kLineIds;
  return static_cast<unsigned>(std::countr_zero(std::bit_ceil(lines)));
}

std::size_t checked(std::size_t length_max) {
  CHECK(length_max >= 1 && length_max <= ViewerTimelines::kLengthMax,
        "a timeline holds 1 to 4096 ids");
  return length_max;
}

}  // namespace

std::size_t ViewerTimeline::first_not_below(core::MomentId bound) const {
  // Who asks is mostly near the newest: from there it goes in steps, each twice the one before,
  // until it is passed.
  std::size_t begin = 0;
  std::size_t end = size_;
  for (std::size_t step = 1; end > 0; step *= 2) {
    const std::size_t look = end - std::min(step, end);
    if ((*this)[look] < bound) {
      begin = look + 1;
      break;
    }
    end = look;
  }
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if ((*this)[middle] < bound) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

std::size_t ViewerTimeline::first_above(core::MomentId bound) const {
  const std::size_t place = first_not_below(bound);
  return place < size_ && (*this)[place] == bound ? place + 1 : place;
}

ViewerTimelines::ViewerTimelines(std::size_t length_max, std::size_t bytes_max)
    : length_max_(checked(length_max)),
      full_(full_head(length_max)),
      full_places_(TimelineBlocks::capacity_of(class_for(length_max)) - 1),
      blocks_(class_for(length_max), bytes_max) {}

ViewerTimelines::FullHead ViewerTimelines::full_head(std::size_t length_max) {
  Head bits{};
  bits.size = kSizeBits;
  bits.has_block = 1;
  bits.has_floor = 1;
  Head full = bits;
  full.size = length_max & kSizeBits;
  return {std::bit_cast<std::uint64_t>(bits), std::bit_cast<std::uint64_t>(full)};
}

std::size_t ViewerTimelines::room_for(std::size_t length_max, std::size_t arrays) {
  return arrays * TimelineBlocks::slab_bytes(class_for(length_max));
}

void ViewerTimelines::resize(std::size_t viewers) {
  constexpr std::size_t kHeadsMin = 1024;
  if (viewers > heads_max_) {
    heads_max_ = std::max({viewers, 2 * heads_max_, kHeadsMin});
    core::ZeroedPages memory(heads_max_ * sizeof(Head), core::PageSize::Large);
    auto* const heads = static_cast<Head*>(memory.data());
    std::copy_n(heads_, size_, heads);
    heads_memory_ = std::move(memory);
    heads_ = heads;
  }
  size_ = viewers;
}

void ViewerTimelines::clear() {
  heads_memory_ = core::ZeroedPages();
  heads_ = nullptr;
  size_ = 0;
  heads_max_ = 0;
  blocks_.clear();
  hand_ = 0;
}

ViewerTimeline ViewerTimelines::of(PersonIndex viewer) const {
  const Head head = heads_[number(viewer)];
  if (head.has_block == 0) {
    return {nullptr, 0, 0, 0, core::MomentId(head.has_floor != 0 ? kAboveEveryId : 0)};
  }
  const std::uint64_t* const ring = blocks_.ids_of(block_of(head));
  const std::uint32_t mask = mask_of(head);
  const std::uint32_t begin = (end_of(head) - head.size) & mask;
  std::uint64_t floor = 0;
  if (head.has_floor != 0) floor = head.size > 0 ? ring[begin] - 1 : ring[(begin - 1U) & mask];
  return {ring, mask, begin, head.size, core::MomentId(floor)};
}

void ViewerTimelines::cool_down(PersonIndex viewer) {
  Head& head = heads_[number(viewer)];
  if (head.has_block != 0) blocks_.give_back(block_of(head));
  head = {};
  head.has_floor = 1;
}

bool ViewerTimelines::warm_up(PersonIndex viewer, const std::vector<core::MomentId>& ids,
                              core::MomentId floor) {
  cool_down(viewer);
  Head& head = heads_[number(viewer)];
  if (ids.empty() && floor == core::MomentId(0)) {
    head = {};
    return true;
  }
  const unsigned size_class = class_for(ids.size());
  const auto block = blocks_.take(size_class, static_cast<std::uint32_t>(viewer));
  if (!block) return false;
  std::uint64_t* const ring = blocks_.ids_of(*block);
  for (std::size_t i = 0; i < ids.size(); ++i) ring[i] = ids[i].value();
  head.size_class = size_class & 0xfU;
  head.size = ids.size() & kSizeBits;
  set_next(head, *block, ids.size());
  head.has_block = 1;
  head.has_floor = floor == core::MomentId(0) ? 0 : 1;
  if (ids.empty()) ring[mask_of(head)] = floor.value();
  return true;
}

std::vector<PersonIndex> ViewerTimelines::make_room(std::size_t arrays) {
  std::vector<PersonIndex> cold;
  while (blocks_.free_slabs() < std::min(arrays, blocks_.slabs_max())) {
    blocks_.for_each_owner(least_read_slab(), [&](std::uint32_t owner) {
      const auto viewer = static_cast<PersonIndex>(owner);
      cool_down(viewer);
      cold.push_back(viewer);
    });
  }
  return cold;
}

// All that it looks at count as not read from then on, so that one of few is found the next time.
std::size_t ViewerTimelines::least_read_slab() {
  std::size_t least = 0;
  std::size_t readers_least = std::numeric_limits<std::size_t>::max();
  for (std::size_t looks = 0; looks < kLooks && readers_least > 0;) {
    hand_ = (hand_ + 1) % blocks_.slabs_taken();
    if (!blocks_.is_in_use(hand_)) continue;
    ++looks;
    std::size_t readers = 0;
    blocks_.for_each_owner(hand_, [&](std::uint32_t owner) {
      readers += heads_[owner].read;
      heads_[owner].read = 0;
    });
    if (readers >= readers_least) continue;
    least = hand_;
    readers_least = readers;
  }
  return least;
}

bool ViewerTimelines::insert(PersonIndex viewer, core::MomentId id) {
  Head head = heads_[number(viewer)];
  if (head.has_block == 0) return insert_slowly(viewer, id);
  const std::uint32_t mask = mask_of(head);
  const std::uint32_t end = end_of(head);
  std::uint64_t* const ring = blocks_.ids_of(block_of(head));
  if (id.value() <= ring[(end - 1U) & mask]) return insert_slowly(viewer, id);
  if (head.size == length_max_) {
    head.has_floor = 1;
  } else if (head.size <= mask) {
    ++head.size;
  } else {
    return insert_slowly(viewer, id);
  }
  ring[end] = id.value();
  set_next(head, block_of(head), end + 1U);
  heads_[number(viewer)] = head;
  return true;
}

bool ViewerTimelines::insert_slowly(PersonIndex viewer, core::MomentId id) {
  const ViewerTimeline timeline = of(viewer);
  if (id <= timeline.floor()) return false;
  if (heads_[number(viewer)].has_block == 0) return insert_first(viewer, id);
  std::size_t place = timeline.first_not_below(id);
  if (place < timeline.size() && timeline[place] == id) return false;

  Head& head = heads_[number(viewer)];
  if (head.size == length_max_) {
    // The oldest goes, which may be this one.
    head.has_floor = 1;
    if (place == 0) return false;
    --head.size;
    --place;
  } else if (head.size > mask_of(head) && !move(viewer, head.size_class + 1U)) {
    cool_down(viewer);
    return false;
  }
  std::uint64_t* const ring = blocks_.ids_of(block_of(head));
  const std::uint32_t mask = mask_of(head);
  const std::uint32_t begin = end_of(head) - head.size;
  const auto at = [&](std::size_t i) -> std::uint64_t& { return ring[(begin + i) & mask]; };
  const std::size_t last = head.size++;
  set_next(head, block_of(head), end_of(head) + 1U);
  for (std::size_t i = last; i > place; --i) at(i) = at(i - 1);
  at(place) = id.value();
  return true;
}

bool ViewerTimelines::insert_first(PersonIndex viewer, core::MomentId id) {
  const Head before = heads_[number(viewer)];
  if (!warm_up(viewer, {id}, core::MomentId(0))) return false;
  heads_[number(viewer)].read = before.read;
  return true;
}

bool ViewerTimelines::move(PersonIndex viewer, unsigned size_class) {
  const auto block = blocks_.take(size_class, static_cast<std::uint32_t>(viewer));
  if (!block) return false;
  Head& head = heads_[number(viewer)];
  const ViewerTimeline timeline = of(viewer);
  std::uint64_t* const room = blocks_.ids_of(*block);
  for (std::size_t i = 0; i < timeline.size(); ++i) room[i] = timeline[i].value();
  blocks_.give_back(block_of(head));
  head.size_class = size_class & 0xfU;
  set_next(head, *block, head.size);
  return true;
}

}  // namespace tideline::feed
