// The header Range (RFC 9110, 14.2), as far as it asks for one range of bytes. A pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tideline::http {

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // behind its last byte
  // Nothing of it lies within the bytes that there are: 416.
  [[nodiscard]] bool empty() const { return begin == end; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// What `text` asks for of `size` bytes, cut at their end. nullopt: all of them. That is the answer
// to several ranges, too, to other units, and to what is malformed.
std::optional<ByteRange> parse_byte_range(std::string_view text, std::uint64_t size);

}  // namespace tideline::http
