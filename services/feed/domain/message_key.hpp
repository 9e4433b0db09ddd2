// The natural key of a message, and its place in a box. Its stored form is <sender>_<sent_at>.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/ids.hpp"

namespace tideline::feed {

struct MessageKey {
  core::Timestamp sent_at;
  core::AccountId sender;

  friend auto operator<=>(const MessageKey&, const MessageKey&) = default;
};

inline std::string to_string(const MessageKey& key) {
  return key.sender.to_string() + "_" + core::format_iso8601(key.sent_at);
}

inline std::optional<MessageKey> parse_message_key(std::string_view text) {
  const std::size_t mark = text.find('_');
  if (mark == std::string_view::npos) return std::nullopt;
  const auto sender = core::AccountId::parse(text.substr(0, mark));
  const auto sent_at = core::parse_iso8601(text.substr(mark + 1));
  if (!sender || !sent_at) return std::nullopt;
  return MessageKey{*sent_at, *sender};
}

}  // namespace tideline::feed
