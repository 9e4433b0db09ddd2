// Asks for the cache line of a place that will be read or written soon. Harmless for any place; but
// of more lines at once than the processor can wait for a part is lost, see staggered(). A place in
// a page that was not touched lately has its address looked up first, for which the instruction
// waits: many of those take least in a loop that does nothing else.
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

// Calls each step for 0 to count - 1, in order, and for each of them as many calls behind the step
// before as `lag` says. So memory that one step asks for is there when the next one looks, and
// requests come one after the other.
template <class... Steps>
void staggered(std::size_t count, std::size_t lag, const Steps&... steps) {
  for (std::size_t turn = 0; turn < count + (sizeof...(steps) - 1) * lag; ++turn) {
    std::size_t at = turn;  // wraps below 0
    ((at < count ? steps(at) : void(), at -= lag), ...);
  }
}

// All lines of the values.
template <class Value>
void prefetch(std::span<const Value> values) {
  const auto bytes = std::as_bytes(values);
  for (std::size_t i = 0; i < bytes.size(); i += kCacheLine) prefetch(&bytes[i]);
  if (!bytes.empty()) prefetch(&bytes.back());  // which lies in one line more, as a rule
}

}  // namespace tideline::core
