#include "scoring/api/board_place.hpp"

#include <charconv>

namespace tideline::scoring {

std::string board_place_text(const BoardEntry& entry) {
  return std::to_string(entry.points) + "," + core::format_iso8601(entry.reached_at) + "," +
         entry.account.to_string();
}

std::optional<BoardEntry> parse_board_place(std::string_view text) {
  const auto first = text.find(',');
  if (first == std::string_view::npos) return std::nullopt;
  const auto second = text.find(',', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  BoardEntry entry;
  const auto [end, error] = std::from_chars(text.data(), text.data() + first, entry.points);
  const auto reached = core::parse_iso8601(text.substr(first + 1, second - first - 1));
  const auto account = core::AccountId::parse(text.substr(second + 1));
  if (error != std::errc() || end != text.data() + first || !reached || !account) {
    return std::nullopt;
  }
  entry.reached_at = *reached;
  entry.account = *account;
  if (board_place_text(entry) != text) return std::nullopt;
  return entry;
}

}  // namespace tideline::scoring
