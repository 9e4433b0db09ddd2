#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tideline::core {
namespace {

// Length in bytes of the well-formed sequence at the front of `text`; 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto continues = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    if (first == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
    if (first == 0xED && byte(1) > 0x9F) return 0;  // surrogate
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (first == 0xF0 && byte(1) < 0x90) return 0;  // overlong
    if (first == 0xF4 && byte(1) > 0x8F) return 0;  // above U+10FFFF
    return 4;
  }
  return 0;
}

// Words that stand in paths where a user_id may stand too.
constexpr std::array<std::string_view, 4> kReserved = {"me", "hidden", "hidden-from", "rules"};

}  // namespace

std::optional<std::size_t> code_points(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) return std::nullopt;
    text.remove_prefix(length);
    ++count;
  }
  return count;
}

bool is_user_id(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  const bool reserved = std::find(kReserved.begin(), kReserved.end(), text) != kReserved.end();
  return !text.empty() && text.size() <= 64 && !reserved &&
         std::all_of(text.begin(), text.end(), allowed);
}

}  // namespace tideline::core
