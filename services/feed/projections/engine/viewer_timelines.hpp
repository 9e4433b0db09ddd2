// Every viewer's timeline: by his number an array of moment ids, ascending, of bounded length, and
// all of them together in bounded memory.
//
// Law: every moment above the floor that the viewer may see and wants is in the array, unless its
// author is pending; ids at or below the floor are never in it. The array may also hold ids that he
// may no longer see, and a stale one ids that he does not want any more: anyone who reads asks the
// predicates.
//
// A cold one holds nothing and takes nothing, for its floor is above every id: as right as any
// other, and made of its authors' moments at each read. So whatever finds no room becomes cold, and
// make_room() cools down those who have not read for long.
//
// The arrays are rings. To take in one more id touches a viewer's head, of which eight share a
// cache line, and the line that the id goes to, however full the ring is; each eighth time the line
// before that, too.
//
// Not synchronized, but for this: different viewers may be changed and asked at the same time, as
// long as nobody calls resize(), clear() or make_room(). has_room() from any thread;
// prefetch_head() and full() while nobody calls resize() or clear(). FeedState::mutex guards it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/prefetch.hpp"
#include "core/time_ordered_id.hpp"
#include "core/zeroed_pages.hpp"
#include "feed/projections/engine/graph_memory.hpp"
#include "feed/projections/engine/timeline_blocks.hpp"

namespace tideline::feed {

// One viewer's array as it is now, oldest first.
class ViewerTimeline {
 public:
  ViewerTimeline(const std::uint64_t* ring, std::size_t mask, std::size_t begin, std::size_t size,
                 core::MomentId floor)
      : ring_(ring), mask_(mask), begin_(begin), size_(size), floor_(floor) {}

  std::size_t size() const { return size_; }
  core::MomentId operator[](std::size_t i) const {
    return core::MomentId(ring_[(begin_ + i) & mask_]);
  }
  core::MomentId floor() const { return floor_; }
  // Tells the processor that a page of the newest will be read.
  void prefetch_newest() const {
    constexpr std::size_t kLines = 4;
    for (std::size_t i = 1; i <= kLines * TimelineBlocks::kLineIds && i <= size_;
         i += TimelineBlocks::kLineIds) {
      core::prefetch(&ring_[(begin_ + size_ - i) & mask_]);
    }
  }
  // The first that is not below the bound; size() if all are.
  std::size_t first_not_below(core::MomentId bound) const;
  std::size_t first_above(core::MomentId bound) const;

 private:
  const std::uint64_t* ring_;
  std::size_t mask_;
  std::size_t begin_;
  std::size_t size_;
  core::MomentId floor_;
};

class ViewerTimelines {
 public:
  static constexpr std::size_t kLengthMax = 4096;

  // `length_max` ids an array, 1 to kLengthMax: one more drops the oldest. The arrays, with what
  // keeps account of them, take `bytes_max` at most, which is room_for(length_max, 1) at least; a
  // viewer's head, 8 bytes, comes on top.
  ViewerTimelines(std::size_t length_max, std::size_t bytes_max);

  // Bytes for so many arrays that are full.
  static std::size_t room_for(std::size_t length_max, std::size_t arrays);

  std::size_t size() const { return size_; }
  // Never fewer than before. New ones are empty and warm.
  void resize(std::size_t viewers);
  void clear();

  // False if it is there already, not above the floor, or if there was no room.
  bool insert(PersonIndex viewer, core::MomentId id);
  ViewerTimeline of(PersonIndex viewer) const;
  bool is_cold(PersonIndex viewer) const {
    const Head head = heads_[number(viewer)];
    return head.has_block == 0 && head.has_floor != 0;
  }
  // He may not want any more what is in it. Until it is emptied, or made anew by warm_up().
  void mark_stale(PersonIndex viewer) { heads_[number(viewer)].stale = 1; }
  bool is_stale(PersonIndex viewer) const { return heads_[number(viewer)].stale != 0; }
  void cool_down(PersonIndex viewer);
  // `ids`, ascending and at most length_max, are the newest that he may see and wants, all of them
  // above `floor`. False: there was no room, and he is cold.
  bool warm_up(PersonIndex viewer, const std::vector<core::MomentId>& ids, core::MomentId floor);

  // Who reads is among the last to be cooled down when room is made.
  void note_read(PersonIndex viewer) { heads_[number(viewer)].read = 1; }
  // Whether an array finds its place in any case: one, for each has_room() before.
  bool has_room() const { return blocks_.free_slabs() > 0; }
  // That are full, and no others beside them.
  std::size_t arrays_max() const { return blocks_.slabs_max(); }
  // For so many arrays, or as many as there can be. Returns who became cold. Each array that is
  // emptied is chosen after a look at kLooks others at most, by a hand that goes round over them.
  std::vector<PersonIndex> make_room(std::size_t arrays);

  // What was taken of the system for the arrays: never above bytes_max.
  std::size_t array_bytes() const { return blocks_.bytes_taken(); }
  std::size_t head_bytes() const { return heads_max_ * sizeof(Head); }

  // Tells the processor that his array will be asked for.
  void prefetch_head(PersonIndex viewer) const { core::prefetch(&heads_[number(viewer)]); }
  class Full;
  // Holds until resize() or clear().
  Full full();

 private:
  static constexpr std::size_t kLooks = 16;
  static constexpr unsigned kNextBits = 35;
  static constexpr std::uint64_t kNextMask = (std::uint64_t{1} << kNextBits) - 1;
  // There is room for the number behind it, where pages begin. No id of 42 bits of milliseconds is
  // near.
  static constexpr std::uint64_t kAboveEveryId = std::numeric_limits<std::uint64_t>::max() - 1;

  // Zeros are an empty one that is warm. A block begins at a multiple of its size, so that one
  // number says which it is and where in it the next id goes. The floor is no member, for a fan-out
  // would have to write it: it is 0 without has_floor, else right below the oldest id. Where there
  // is a floor and no id, it lies before the end in place of the newest one, and where there is no
  // block either, the viewer is cold.
  struct Head {
    std::uint64_t next : kNextBits;  // its place among those of all blocks
    std::uint64_t size : 13;
    std::uint64_t size_class : 4;
    std::uint64_t has_block : 1;
    std::uint64_t has_floor : 1;
    std::uint64_t read : 1;  // since the hand came by
    std::uint64_t stale : 1;
    std::uint64_t unused : 8;
  };
  static_assert(sizeof(Head) == 8, "eight of them a cache line");
  static_assert((std::uint64_t{TimelineBlocks::kLineIds} << 32U) <= kNextMask + 1,
                "a place in any line that a block can name");

  static std::size_t number(PersonIndex viewer) { return static_cast<std::uint32_t>(viewer); }
  // Of the numbers within its block.
  static std::uint32_t mask_of(Head head) {
    return (std::uint32_t{TimelineBlocks::kLineIds} << head.size_class) - 1U;
  }
  static std::uint32_t end_of(Head head) {
    return static_cast<std::uint32_t>(head.next) & mask_of(head);
  }
  static TimelineBlocks::Block block_of(Head head) {
    return static_cast<TimelineBlocks::Block>((head.next - end_of(head)) /
                                              TimelineBlocks::kLineIds);
  }
  // Whose next id goes to that number of the block; it comes round to the begin.
  static void set_next(Head& head, TimelineBlocks::Block block, std::size_t number) {
    head.next = (TimelineBlocks::kLineIds * block + (number & mask_of(head))) & kNextMask;
  }

  bool insert_slowly(PersonIndex viewer, core::MomentId id);
  bool insert_first(PersonIndex viewer, core::MomentId id);
  // Another block, of the class; false: no room. The ring begins at 0 then.
  bool move(PersonIndex viewer, unsigned size_class);
  // Whose blocks lie in the slab that has been read least, of those that the hand passes.
  std::size_t least_read_slab();

  // What a head has that cannot hold more and has dropped something before.
  struct FullHead {
    std::uint64_t mask;  // of the bits that say so
    std::uint64_t value;
  };
  static FullHead full_head(std::size_t length_max);

  const std::size_t length_max_;
  const FullHead full_;
  const std::uint64_t full_places_;  // of a full one's block, less one
  TimelineBlocks blocks_;
  core::ZeroedPages heads_memory_;
  Head* heads_ = nullptr;
  std::size_t size_ = 0;
  std::size_t heads_max_ = 0;  // that there is memory for
  std::size_t hand_ = 0;       // the slab that it looked at last
};

// The arrays that are full, which take in most ids by far, and by the shortest way: a fan-out holds
// this in registers.
class ViewerTimelines::Full {
 public:
  // How many viewers before his turn his end is best asked for, and his head twice as many: a
  // memory's latency over what a delivery takes.
  static constexpr std::size_t kAhead = 64;

  // Tell the processor in advance where replace_oldest() reads and writes: the viewer's head; and
  // when that is there, the places of his next id and of the newest one, which lies before it but
  // where the array comes round to its begin.
  void prefetch_head(PersonIndex viewer) const { core::prefetch(&heads_[number(viewer)]); }
  void prefetch_end(PersonIndex viewer) const {
    const std::uint64_t* const next = ids_ + (bits_of(heads_[number(viewer)]) & kNextMask);
    core::prefetch(next);
    core::prefetch(next - std::uint64_t{next > ids_});
  }

  // As insert(), where the array is full and the id newer than all that it has; false, and nothing
  // is done, where it is not so. Needs no room.
  bool replace_oldest(PersonIndex viewer, core::MomentId id) const {
    const std::uint64_t head = bits_of(heads_[number(viewer)]);
    if ((head & full_.mask) != full_.value) return false;
    const std::uint64_t next = head & kNextMask;
    const std::uint64_t block = next & ~last_;
    if (id.value() <= ids_[block | ((next - 1) & last_)]) return false;
    ids_[next] = id.value();
    heads_[number(viewer)] =
        std::bit_cast<Head>((head & ~kNextMask) | block | ((next + 1) & last_));
    return true;
  }

 private:
  friend class ViewerTimelines;
  Full(Head* heads, std::uint64_t* ids, FullHead full, std::uint64_t last)
      : heads_(heads), ids_(ids), full_(full), last_(last) {}

  static std::uint64_t bits_of(Head head) { return std::bit_cast<std::uint64_t>(head); }

  Head* heads_;
  std::uint64_t* ids_;
  FullHead full_;
  std::uint64_t last_;  // place of a block
};

inline ViewerTimelines::Full ViewerTimelines::full() {
  return {heads_, blocks_.ids_of(0), full_, full_places_};
}

}  // namespace tideline::feed
