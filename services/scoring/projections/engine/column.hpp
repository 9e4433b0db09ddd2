// One value for each member, by his number: a growing array that is never copied. It lies in chunks
// of 4,096, each made when the first value in it is, so that what nobody has costs nothing.
//
// Not synchronized. References stay valid until the column ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/prefetch.hpp"

namespace tideline::scoring {

// Members are numbered from 0, in the order in which the engine heard of them. Numbers mean nothing
// outside of the process.
using MemberNumber = std::uint32_t;

template <class Value>
class Column {
 public:
  // The value, T{} where there was none yet.
  Value& make(MemberNumber member) {
    const std::size_t chunk = member >> kChunkBits;
    if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
    if (!chunks_[chunk]) {
      chunks_[chunk] = std::make_unique<Value[]>(kChunk);
      ++made_;
    }
    return chunks_[chunk][member & (kChunk - 1)];
  }
  // nullptr: nothing was made in that chunk.
  const Value* find(MemberNumber member) const {
    const std::size_t chunk = member >> kChunkBits;
    if (chunk >= chunks_.size() || !chunks_[chunk]) return nullptr;
    return &chunks_[chunk][member & (kChunk - 1)];
  }
  // Fetches the value, if it was made.
  void prefetch(MemberNumber member) const {
    if (const Value* const value = find(member)) core::prefetch(value);
  }
  // Of a member whose value was made.
  const Value& operator[](MemberNumber member) const {
    return chunks_[member >> kChunkBits][member & (kChunk - 1)];
  }
  Value& operator[](MemberNumber member) {
    return chunks_[member >> kChunkBits][member & (kChunk - 1)];
  }

  // Calls visit(member, value) for every place of every chunk, in the order of the numbers.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
      if (!chunks_[chunk]) continue;
      const Value* values = chunks_[chunk].get();
      const auto first = static_cast<MemberNumber>(chunk << kChunkBits);
      for (MemberNumber i = 0; i < kChunk; ++i) visit(first + i, values[i]);
    }
  }

  std::size_t bytes() const {
    return made_ * kChunk * sizeof(Value) + chunks_.capacity() * sizeof chunks_[0];
  }

 private:
  static constexpr unsigned kChunkBits = 12;
  static constexpr MemberNumber kChunk = 1U << kChunkBits;

  std::vector<std::unique_ptr<Value[]>> chunks_;
  std::size_t made_ = 0;
};

}  // namespace tideline::scoring
