// A bounded map of what was asked for lately.
//
// When the bound is reached, a hand goes round over the entries and lets go of those that nobody
// has asked for since it came by (the second chance of page replacement, also called CLOCK;
// Corbato, A Paging Experiment with the Multics System, 1968). So nothing is ordered by use, and
// who looks writes no more than a mark. Split into parts by the key's hash, so that none is large:
// anyone who lays out one anew, or looks at all of its entries, keeps the others waiting for that
// long.
//
// Thread-safe. Nothing blocks but for other short calls: those that look share the lock.
#pragma once

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <utility>

#include "core/prefetch.hpp"
#include "core/probed_map.hpp"
#include "feed/projections/engine/writer_first_mutex.hpp"

namespace tideline::feed {

// Key() is nobody's: it is never there.
template <class Key, class Value>
class RecentMap {
 public:
  using Held = std::shared_ptr<const Value>;

  // Of an entry besides its value: places in tables, counts of owners.
  static constexpr std::size_t kEntryBytes = 96;

  struct Size {
    std::size_t entries = 0;
    std::size_t bytes = 0;
  };

  // `bytes_max`: of all entries; 0 holds nothing.
  explicit RecentMap(std::size_t bytes_max) : part_bytes_max_(bytes_max / kParts) {}

  // nullptr: not there (any more).
  Held find(const Key& key) {
    Held found;
    const auto take = [&](std::size_t, const Held& held) { found = held; };
    find_each(
        {&key, 1}, [](const Value*, std::size_t) {}, take);
    return found;
  }

  // The same of each, in order: take(i, held) for the i-th key, where there is any, while nothing
  // can be put or erased; it must not ask the map for anything. Entries and values lie anywhere in
  // memory: all entries are asked for, then where each value begins, in loops so short that the
  // processor looks up many addresses at once; the rest of a value, which may take many lines, by
  // ask(value, looked_at) some time before it is taken, as put() was told.
  template <class Ask, class Take>
  void find_each(std::span<const Key> keys, const Ask& ask, const Take& take) {
    absl::InlinedVector<Entry*, kAtOnce> entries;
    const std::shared_lock lock(mutex_);
    for (const Key& key : keys) part_of(key).entries.prefetch(key);
    for (const Key& key : keys) {
      Entry* const entry = part_of(key).entries.find(key);
      if (entry != nullptr) core::prefetch(entry->value.get());
      entries.push_back(entry);
    }
    core::staggered(
        keys.size(), kAhead,
        [&](std::size_t i) {
          if (entries[i] != nullptr) ask(entries[i]->value.get(), entries[i]->looked_at);
        },
        [&](std::size_t i) {
          if (entries[i] == nullptr) return;
          mark_used(*entries[i]);
          take(i, entries[i]->value);
        });
  }

  // `bytes`: of the value; the entry is counted as kEntryBytes more. `looked_at`: of the value's
  // first bytes, how many most readers look at. Takes the place of what the key had.
  void put(const Key& key, Held value, std::size_t bytes, std::size_t looked_at = 0) {
    const std::size_t counted = kEntryBytes + bytes;
    if (key == Key() || counted > std::min(part_bytes_max_, kEntryBytesMax)) return;
    const std::lock_guard lock(mutex_);
    Part& part = part_of(key);
    remove(part, key);
    make_room(part, counted);
    part.bytes += counted;
    looked_at = std::min<std::size_t>(looked_at, std::numeric_limits<std::uint16_t>::max());
    part.entries.try_emplace(key, {std::move(value), static_cast<std::uint32_t>(bytes),
                                   static_cast<std::uint16_t>(looked_at)});
  }

  void erase(const Key& key) {
    const std::lock_guard lock(mutex_);
    remove(part_of(key), key);
  }

  // Looks at every entry.
  template <class Condition>
  void erase_if(const Condition& condition) {
    for (Part& part : parts_) {
      const std::lock_guard lock(mutex_);
      for (std::size_t place = 0; place < part.entries.places();) {
        const Key& key = part.entries.key_at(place);
        if (key != Key() && condition(key, *part.entries.value_at(place).value)) {
          remove_at(part, place);  // another may lie there now
        } else {
          ++place;
        }
      }
    }
  }

  Size size() const {
    Size size;
    const std::shared_lock lock(mutex_);
    for (const Part& part : parts_) {
      size.entries += part.entries.size();
      size.bytes += part.bytes;
    }
    return size;
  }

 private:
  static constexpr std::size_t kParts = 64;
  static constexpr std::size_t kAhead = 4;
  static constexpr std::size_t kAtOnce = 32;  // more are looked for in memory of their own
  static constexpr std::size_t kEntryBytesMax = std::numeric_limits<std::uint32_t>::max();

  struct Entry {
    Held value;
    std::uint32_t bytes = 0;
    std::uint16_t looked_at = 0;  // bytes
    bool used = false;            // since the hand came by
  };
  struct Part {
    core::ProbedMap<Key, Entry> entries;
    std::size_t bytes = 0;
    std::size_t hand = 0;  // the place that it looks at next
  };

  Part& part_of(const Key& key) {
    static_assert(kParts == 64);
    return parts_[(std::hash<Key>()(key) * 0x9e3779b97f4a7c15ULL) >> 58U];
  }

  // By those that share the lock, at the same time.
  static void mark_used(Entry& entry) {
    const std::atomic_ref<bool> used(entry.used);
    if (!used.load(std::memory_order_relaxed)) used.store(true, std::memory_order_relaxed);
  }

  void make_room(Part& part, std::size_t bytes) {
    while (part.bytes + bytes > part_bytes_max_) {
      if (part.hand >= part.entries.places()) part.hand = 0;
      if (part.entries.key_at(part.hand) == Key()) {
        ++part.hand;
      } else if (std::exchange(part.entries.value_at(part.hand).used, false)) {
        ++part.hand;
      } else {
        remove_at(part, part.hand);
      }
    }
  }

  void remove(Part& part, const Key& key) {
    if (const Entry* const entry = part.entries.find(key)) {
      part.bytes -= kEntryBytes + entry->bytes;
      part.entries.erase(key);
    }
  }
  void remove_at(Part& part, std::size_t place) {
    part.bytes -= kEntryBytes + part.entries.value_at(place).bytes;
    part.entries.erase_at(place);
  }

  const std::size_t part_bytes_max_;
  mutable WriterFirstMutex mutex_;
  std::array<Part, kParts> parts_;
};

}  // namespace tideline::feed
