// Numbers out of a text of bytes. `at` and the bytes behind it must lie within. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tideline::uploads {

inline std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}
inline std::uint32_t big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < count; ++i) number = number << 8U | byte_at(bytes, at + i);
  return number;
}
inline std::uint32_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t number = 0;
  for (std::size_t i = count; i > 0; --i) number = number << 8U | byte_at(bytes, at + i - 1);
  return number;
}

}  // namespace tideline::uploads
