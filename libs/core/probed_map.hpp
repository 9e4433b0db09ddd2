// A hash map for lookups by the page: keys and values lie side by side in one array, a key as near
// as can be behind the place that its hash names, so that prefetch() asks for the very line that
// find() reads. Dozens of lookups wait for memory together, where a library's map, which looks at a
// table of bytes first, waits for each value by itself.
//
// Open addressing with linear probing; what is erased leaves no mark, for those behind it move up
// (Knuth, The Art of Computer Programming 3, section 6.4, algorithms L and R). Where a line has
// room for several entries, a home is a line (its buckets): fewer of them are found outside it.
//
// Key() marks an empty place: no entry can have it, and nobody finds it. Pointers hold until
// something is put or erased. What was moved from can be assigned to or destroyed. As thread-safe
// as a standard container: many may look while nobody changes anything.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/prefetch.hpp"

namespace tideline::core {

template <class Key, class Value, class Hash = std::hash<Key>>
class ProbedMap {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // For so many entries no place is laid out anew.
  void reserve(std::size_t entries) {
    const std::size_t places = std::bit_ceil(entries + entries / 3 + 1);
    if (places > places_.size()) lay_out(std::max(kPlacesMin, places));
  }

  // Tells the processor that the key will be looked for.
  void prefetch(const Key& key) const {
    if (places_.empty()) return;
    const Place& home = places_[home_of(key)];
    core::prefetch(&home);
    // It may lie across two lines.
    if constexpr (!kFitsLines) core::prefetch(&home.value);
  }

  // That the key will be put, whose place is likely to be in the line behind its home's.
  void prefetch_new(const Key& key) const {
    if (places_.empty()) return;
    prefetch(key);
    constexpr std::size_t kNextLine = (kCacheLine + sizeof(Place) - 1) / sizeof(Place);
    core::prefetch(&places_[(home_of(key) + kNextLine) & (places_.size() - 1)]);
  }

  const Value* find(const Key& key) const {
    const std::size_t place = place_of(key);
    return place == kNowhere ? nullptr : &places_[place].value;
  }
  Value* find(const Key& key) {
    const std::size_t place = place_of(key);
    return place == kNowhere ? nullptr : &places_[place].value;
  }

  // The key's value and whether it is new; the one that is there stays.
  std::pair<Value*, bool> try_emplace(const Key& key, Value value) {
    CHECK(key != Key(), "no entry has the key of an empty place");
    if (Value* const there = find(key)) return {there, false};
    if ((size_ + 1) * 4 > places_.size() * 3) lay_out(std::max(kPlacesMin, 2 * places_.size()));
    ++size_;
    return {add(key, std::move(value)), true};
  }

  bool erase(const Key& key) {
    const std::size_t place = place_of(key);
    if (place == kNowhere) return false;
    erase_at(place);
    return true;
  }

  // Places are numbered from 0 to places() - 1; what lies where holds until something is put or
  // erased.
  std::size_t places() const { return places_.size(); }
  // Key() where there is nothing.
  const Key& key_at(std::size_t place) const { return places_[place].key; }
  Value& value_at(std::size_t place) { return places_[place].value; }
  // Another entry may lie there afterwards.
  void erase_at(std::size_t place) {
    const std::size_t last = places_.size() - 1;
    std::size_t gap = place;
    for (std::size_t next = (gap + 1) & last; places_[next].key != Key();
         next = (next + 1) & last) {
      // It may move up to the gap unless its home lies behind that.
      const std::size_t from_home = (next - home_of(places_[next].key)) & last;
      if (from_home < ((next - gap) & last)) continue;
      places_[gap] = std::move(places_[next]);
      gap = next;
    }
    places_[gap] = Place();
    --size_;
  }

 private:
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  static constexpr std::size_t kPlacesMin = 8;

  struct Entry {
    Key key{};
    Value value{};
  };
  // Two to a cache line, if they fit, and none across two.
  struct alignas(sizeof(Entry) == 32 ? 32 : alignof(Entry)) Place : Entry {};
  static constexpr bool kFitsLines = kCacheLine % sizeof(Place) == 0;
  static constexpr std::size_t kHomePlaces = kFitsLines ? kCacheLine / sizeof(Place) : 1;

  // The first place of a line, by the upper bits of a product; not the golden ratio's, by which
  // maps that are split choose a part.
  std::size_t home_of(const Key& key) const {
    return ((Hash()(key) * 0xd1342543de82ef95U) >> shift_) & ~(kHomePlaces - 1);
  }
  std::size_t place_of(const Key& key) const {
    if (places_.empty()) return kNowhere;
    const std::size_t last = places_.size() - 1;
    for (std::size_t place = home_of(key);; place = (place + 1) & last) {
      if (places_[place].key == Key()) return kNowhere;
      if (places_[place].key == key) return place;
    }
  }

  Value* add(const Key& key, Value value) {
    const std::size_t last = places_.size() - 1;
    std::size_t place = home_of(key);
    while (places_[place].key != Key()) place = (place + 1) & last;
    places_[place].key = key;
    places_[place].value = std::move(value);
    return &places_[place].value;
  }

  void lay_out(std::size_t places) {
    auto before = std::exchange(places_, std::vector<Place>(places));
    shift_ = 64 - std::countr_zero(places);
    for (Place& place : before) {
      if (place.key != Key()) add(place.key, std::move(place.value));
    }
  }

  std::vector<Place> places_;  // none, or a power of two, three quarters of them taken at most
  int shift_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tideline::core
