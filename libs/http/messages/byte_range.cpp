#include "http/messages/byte_range.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "http/messages/message.hpp"

namespace tideline::http {
namespace {

// Digits alone. What is larger than any size counts as the largest.
std::optional<std::uint64_t> parse_position(std::string_view text) {
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(),
                                                   [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return std::nullopt;
  std::uint64_t position = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (error != std::errc{}) return std::numeric_limits<std::uint64_t>::max();
  return position;
}

}  // namespace

std::optional<ByteRange> parse_byte_range(std::string_view text, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!equal_ignoring_case(text.substr(0, kUnit.size()), kUnit)) return std::nullopt;
  text = trim_blanks(text.substr(kUnit.size()));
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto last = parse_position(text.substr(dash + 1));
  if (dash == 0) {
    if (!last) return std::nullopt;
    return ByteRange{size - std::min(*last, size), size};
  }
  const auto first = parse_position(text.substr(0, dash));
  const bool open = dash + 1 == text.size();
  if (!first || (!open && (!last || *last < *first))) return std::nullopt;
  if (*first >= size) return ByteRange{};
  return ByteRange{*first, open || *last >= size ? size : *last + 1};
}

}  // namespace tideline::http
