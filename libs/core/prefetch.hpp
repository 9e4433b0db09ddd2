// Asks for the cache line of a place that will be read or written soon. Harmless for any place.
#pragma once

#include <cstddef>
#include <span>

namespace tideline::core {

inline constexpr std::size_t kCacheLine = 64;  // bytes, of the processors that we are built for

// GCC takes a function that does nothing but __builtin_prefetch for one without effect and drops
// calls of it; the empty instruction, which may not be dropped, keeps them.
inline void prefetch(const void* place) {
  __builtin_prefetch(place);
  asm volatile("");
}

// All lines of the values.
template <class Value>
void prefetch(std::span<const Value> values) {
  const auto bytes = std::as_bytes(values);
  for (std::size_t i = 0; i < bytes.size(); i += kCacheLine) prefetch(&bytes[i]);
}

}  // namespace tideline::core
