// The memory of all viewers' arrays, with a bound that holds: blocks of 8 ids (a cache line) times
// a power of two.
//
// A slab is the room of one array at full length. It is cut into blocks of one size, and once all
// of them have been given back it may be cut otherwise: who needs room empties whole slabs, and no
// memory is left that is free and of no use. All lie in one stretch of addresses; the system gives
// memory for a slab when it is first used, and has it back at clear().
//
// take() and give_back() from any thread, free_slabs() too; the others while nobody calls these.
// They block for the time of a few steps.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>

#include "core/zeroed_pages.hpp"

namespace tideline::feed {

class TimelineBlocks {
 public:
  using Block = std::uint32_t;  // the number of its first line
  using Owner = std::uint32_t;  // a viewer's number

  static constexpr std::size_t kLineIds = 8;
  static constexpr unsigned kSizeClasses = 10;  // 8 << 9 ids: the largest slab

  // `slab_class`: the largest block, below kSizeClasses. At least one slab fits into `bytes_max`.
  TimelineBlocks(unsigned slab_class, std::size_t bytes_max);

  // Of one slab, with what keeps account of it.
  static constexpr std::size_t slab_bytes(unsigned slab_class) {
    return (kLineBytes + sizeof(Owner)) * (std::size_t{1} << slab_class) + sizeof(Slab);
  }
  static constexpr std::size_t capacity_of(unsigned size_class) { return kLineIds << size_class; }

  std::uint64_t* ids_of(Block block) const { return ids_ + kLineIds * block; }

  // nullopt: no room. There is some while free_slabs() > 0.
  std::optional<Block> take(unsigned size_class, Owner owner);
  void give_back(Block block);
  void clear();

  // Those that are not in use, the ones that the bound leaves among them.
  std::size_t free_slabs() const { return free_slabs_.load(std::memory_order_relaxed); }
  std::size_t slabs_max() const { return slabs_max_; }
  std::size_t slabs_taken() const { return slabs_taken_; }  // of the system; the first ones
  // Never above bytes_max.
  std::size_t bytes_taken() const { return slabs_taken_ * slab_bytes(slab_class_); }
  bool is_in_use(std::size_t slab) const { return slabs_[slab].used > 0; }

  // Whose blocks are in the slab. `use` may give these back.
  template <class Use>
  void for_each_owner(std::size_t slab, const Use& use) const {
    const std::size_t step = std::size_t{1} << slabs_[slab].size_class;
    const std::size_t end = (slab + 1) << slab_class_;
    for (std::size_t line = slab << slab_class_; line < end; line += step) {
      if (const Owner owner = owners_[line]; owner != kNobody) use(owner);
    }
  }

 private:
  static constexpr std::size_t kLineBytes = kLineIds * sizeof(std::uint64_t);
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr Owner kNobody = kNone;

  struct Slab {
    Block first_free;  // a free block's first eight bytes are the next one; kNone: none
    std::uint32_t previous;
    std::uint32_t next;  // in the list of those that are free or of its size with free blocks
    std::uint16_t used;
    std::uint16_t size_class;
  };

  // Addresses for all that there may be; memory comes with the first use.
  void reserve();
  // Under the mutex.
  std::uint32_t open_slab(unsigned size_class);
  void put_first(std::uint32_t& list, std::uint32_t slab);
  void remove(std::uint32_t& list, std::uint32_t slab);

  const unsigned slab_class_;
  const std::size_t slabs_max_;
  core::ZeroedPages ids_memory_;
  core::ZeroedPages owners_memory_;
  core::ZeroedPages slabs_memory_;
  std::uint64_t* ids_ = nullptr;
  Owner* owners_ = nullptr;  // by a block's first line
  Slab* slabs_ = nullptr;

  std::mutex mutex_;  // guards what follows, slabs_, and owners_ and first ids of what is free
  std::array<std::uint32_t, kSizeClasses> with_free_blocks_{};  // first of each list
  std::uint32_t unused_ = kNone;                                // the same, of whole slabs
  std::size_t slabs_taken_ = 0;
  std::atomic<std::size_t> free_slabs_;
};

}  // namespace tideline::feed
