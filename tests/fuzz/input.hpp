// What a fuzz target gets, as text, and cut into pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tideline::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The first byte of an input chooses; what is left is the input proper.
inline std::uint8_t take_choice(std::string_view& input) {
  if (input.empty()) return 0;
  const auto choice = static_cast<std::uint8_t>(input.front());
  input.remove_prefix(1);
  return choice;
}

}  // namespace tideline::fuzz
