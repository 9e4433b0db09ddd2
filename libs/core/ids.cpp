#include "core/ids.hpp"

#include <array>

#include "core/check.hpp"
#include "core/encoding.hpp"

namespace tideline::core {

// Every event and every row names accounts: read without anything on the heap.
std::optional<AccountId> AccountId::parse(std::string_view text) {
  Bytes bytes{};
  if (!read_base32(text, bytes)) return std::nullopt;
  return AccountId(bytes);
}

std::optional<AccountId> AccountId::parse_uuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  std::array<char, 32> digits{};
  auto digit = digits.begin();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash_expected = i == 8 || i == 13 || i == 18 || i == 23;
    if ((text[i] == '-') != dash_expected) return std::nullopt;
    if (!dash_expected) *digit++ = text[i];
  }
  Bytes bytes{};
  if (!read_hex({digits.data(), digits.size()}, bytes)) return std::nullopt;
  return AccountId(bytes);
}

std::string AccountId::to_string() const { return to_base32(bytes_); }

std::string AccountId::to_uuid() const {
  std::string text = to_hex(bytes_);
  for (const std::size_t at : {8U, 13U, 18U, 23U}) text.insert(at, 1, '-');
  return text;
}

LogIndex log_of(std::string_view stream_id, std::uint32_t logs) {
  CHECK(logs > 0, "a service has at least one log");
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char letter : stream_id) {
    hash ^= static_cast<std::uint8_t>(letter);
    hash *= 0x100000001b3ULL;
  }
  hash ^= hash >> 30;
  hash *= 0xbf58476d1ce4e5b9ULL;
  hash ^= hash >> 27;
  hash *= 0x94d049bb133111ebULL;
  hash ^= hash >> 31;
  return LogIndex(static_cast<std::uint32_t>(hash % logs));
}

}  // namespace tideline::core
