// One value for each member, by his number, of whom everybody has one: a growing array that is
// never copied. It lies in chunks of about 2 MiB, each a large page, so that a value at random
// costs one miss of the cache. For values that few have see Column.
//
// Not synchronized. References stay valid until the column ends.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "core/prefetch.hpp"
#include "core/zeroed_pages.hpp"
#include "scoring/projections/engine/column.hpp"
#include "scoring/projections/engine/reserved_pages.hpp"

namespace tideline::scoring {

template <class Value>
class DenseColumn {
  static_assert(std::is_trivially_destructible_v<Value>);

 public:
  // The value, all bits zero where there was none yet. Makes those of all lower numbers too.
  Value& make(MemberNumber member) {
    if (member >= size_) grow(member);
    return (*this)[member];
  }
  // Of a member whose value was made.
  const Value& operator[](MemberNumber member) const {
    return chunk(member)[member & (kChunk - 1)];
  }
  Value& operator[](MemberNumber member) { return chunk(member)[member & (kChunk - 1)]; }
  // Room for so many; nothing is made by it. Adds to `pages` what of it nobody has touched yet.
  void reserve(std::size_t members, ReservedPages& pages) {
    while (chunks_.size() * kChunk < members) {
      const auto first = static_cast<MemberNumber>(chunks_.size()) << kChunkBits;
      pages.add(first, add_chunk(), (members - first) * sizeof(Value));
    }
  }
  // Fetches the value, if it was made.
  void prefetch(MemberNumber member) const {
    if (member < size_) core::prefetch(&(*this)[member]);
  }
  // Those that were made have lower numbers.
  MemberNumber size() const { return size_; }

  // Calls visit(member, value) for everybody, in the order of the numbers.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for_each_chunk([&](MemberNumber first, std::span<const Value> values) {
      for (MemberNumber at = 0; at < values.size(); ++at) visit(first + at, values[at]);
    });
  }
  // The same with visit(first member, values) for those whose values lie together.
  template <class Visit>
  void for_each_chunk(const Visit& visit) const {
    for (MemberNumber first = 0; first < size_; first += std::min(kChunk, size_ - first)) {
      visit(first, std::span<const Value>(chunk(first), std::min(kChunk, size_ - first)));
    }
  }

  std::size_t bytes() const {
    return size_ * sizeof(Value) + chunks_.capacity() * sizeof chunks_[0];
  }

 private:
  static constexpr MemberNumber kChunk = std::bit_floor(core::kLargePage / sizeof(Value));
  static constexpr unsigned kChunkBits = std::countr_zero(kChunk);

  Value* chunk(MemberNumber member) const {
    return static_cast<Value*>(chunks_[member >> kChunkBits].data());
  }
  // The first chunk has usual pages: of few members it costs no more than they take.
  void grow(MemberNumber member) {
    while (chunks_.size() <= member >> kChunkBits) add_chunk();
    size_ = member + 1;
  }
  const core::ZeroedPages& add_chunk() {
    const auto pages = chunks_.empty() ? core::PageSize::Usual : core::PageSize::Large;
    return chunks_.emplace_back(kChunk * sizeof(Value), pages);
  }

  std::vector<core::ZeroedPages> chunks_;
  MemberNumber size_ = 0;
};

}  // namespace tideline::scoring
