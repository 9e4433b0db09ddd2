// A bounded map of what was asked for lately.
//
// Two generations: what is found in the older one moves into the newer, and when the newer holds
// half of the bound the older is let go. So nothing is ordered by use, and what is asked for once
// in a while stays. Split into parts by the key's hash, so that none is large: whoever lays out one
// anew, or looks at all of its entries, keeps the others waiting for that long.
//
// Thread-safe. Nothing blocks but for other short calls: those that look share the lock.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <utility>
#include <vector>

#include "core/prefetch.hpp"
#include "feed/projections/engine/writer_first_mutex.hpp"

namespace tideline::feed {

template <class Key, class Value>
class RecentMap {
 public:
  using Held = std::shared_ptr<const Value>;

  struct Size {
    std::size_t entries = 0;
    std::size_t bytes = 0;
  };

  // `bytes_max`: of all that is put; 0 holds nothing.
  explicit RecentMap(std::size_t bytes_max) : generation_bytes_max_(bytes_max / kParts / 2) {}

  // nullptr: not there (any more).
  Held find(const Key& key) {
    Held found;
    find_each({&key, 1}, [&](std::size_t, const Held& held) { found = held; });
    return found;
  }

  // The same of each: take(i, held) for the i-th key, where there is any. They lie anywhere in
  // memory: all are asked for before the first is looked at.
  template <class Take>
  void find_each(std::span<const Key> keys, const Take& take) {
    std::vector<Key> old;
    {
      const std::shared_lock lock(mutex_);
      for (const Key& key : keys) part_of(key).newer.prefetch(key);
      absl::InlinedVector<const Entry*, kAtOnce> entries;
      for (const Key& key : keys) {
        const Part& part = part_of(key);
        const Entry* entry = look(part.newer, key);
        if (entry == nullptr) {
          entry = look(part.older, key);
          if (entry != nullptr) old.push_back(key);
        }
        if (entry != nullptr) core::prefetch(entry->value.get());
        entries.push_back(entry);
      }
      for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries[i] != nullptr) take(i, entries[i]->value);
      }
    }
    if (!old.empty()) renew(old);
  }

  // `bytes`: what the entry is counted as. Takes the place of what the key had.
  void put(const Key& key, Held value, std::size_t bytes) {
    if (bytes > generation_bytes_max_) return;
    const std::lock_guard lock(mutex_);
    Part& part = part_of(key);
    remove(part, key);
    insert(part, key, {std::move(value), bytes});
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
      part.newer_bytes -= erase_from(part.newer, condition);
      part.older_bytes -= erase_from(part.older, condition);
    }
  }

  Size size() const {
    Size size;
    const std::shared_lock lock(mutex_);
    for (const Part& part : parts_) {
      size.entries += part.newer.size() + part.older.size();
      size.bytes += part.newer_bytes + part.older_bytes;
    }
    return size;
  }

 private:
  static constexpr std::size_t kParts = 64;
  static constexpr std::size_t kAtOnce = 32;  // more are looked for in memory of their own

  struct Entry {
    Held value;
    std::size_t bytes = 0;
  };
  using Entries = absl::flat_hash_map<Key, Entry, std::hash<Key>>;
  struct Part {
    Entries newer;
    Entries older;
    std::size_t newer_bytes = 0;
    std::size_t older_bytes = 0;
  };

  static std::size_t part_number(const Key& key) {
    // The map goes by other bits of the hash.
    static_assert(kParts == 64);
    return (std::hash<Key>()(key) * 0x9e3779b97f4a7c15ULL) >> 58U;
  }
  Part& part_of(const Key& key) { return parts_[part_number(key)]; }
  const Part& part_of(const Key& key) const { return parts_[part_number(key)]; }

  static const Entry* look(const Entries& entries, const Key& key) {
    const auto found = entries.find(key);
    return found == entries.end() ? nullptr : &found->second;
  }

  // They are as young as what is put now, those that are still there.
  void renew(const std::vector<Key>& keys) {
    const std::lock_guard lock(mutex_);
    for (const Key& key : keys) {
      Part& part = part_of(key);
      const auto found = part.older.find(key);
      if (found == part.older.end()) continue;
      Entry entry = std::move(found->second);
      part.older.erase(found);
      part.older_bytes -= entry.bytes;
      insert(part, key, std::move(entry));
    }
  }

  void insert(Part& part, const Key& key, Entry entry) {
    if (part.newer_bytes + entry.bytes > generation_bytes_max_) {
      part.older = std::exchange(part.newer, {});
      part.older_bytes = std::exchange(part.newer_bytes, 0);
    }
    part.newer_bytes += entry.bytes;
    part.newer.insert_or_assign(key, std::move(entry));
  }

  static void remove(Part& part, const Key& key) {
    if (const auto found = part.newer.find(key); found != part.newer.end()) {
      part.newer_bytes -= found->second.bytes;
      part.newer.erase(found);
    }
    if (const auto found = part.older.find(key); found != part.older.end()) {
      part.older_bytes -= found->second.bytes;
      part.older.erase(found);
    }
  }

  template <class Condition>
  static std::size_t erase_from(Entries& entries, const Condition& condition) {
    std::size_t bytes = 0;
    absl::erase_if(entries, [&](const auto& entry) {
      if (!condition(entry.first, *entry.second.value)) return false;
      bytes += entry.second.bytes;
      return true;
    });
    return bytes;
  }

  const std::size_t generation_bytes_max_;
  mutable WriterFirstMutex mutex_;
  std::array<Part, kParts> parts_;
};

}  // namespace tideline::feed
