#include "core/ids.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/encoding.hpp"

namespace tideline::core {
namespace {

std::optional<AccountId> from_16_bytes(const std::optional<Bytes>& bytes) {
  if (!bytes || bytes->size() != 16) return std::nullopt;
  AccountId::Bytes fixed{};
  std::copy(bytes->begin(), bytes->end(), fixed.begin());
  return AccountId(fixed);
}

}  // namespace

std::optional<AccountId> AccountId::parse(std::string_view text) {
  if (text.size() != 26) return std::nullopt;
  return from_16_bytes(from_base32(text));
}

std::optional<AccountId> AccountId::parse_uuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash_expected = i == 8 || i == 13 || i == 18 || i == 23;
    if ((text[i] == '-') != dash_expected) return std::nullopt;
    if (!dash_expected) digits.push_back(text[i]);
  }
  return from_16_bytes(from_hex(digits));
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
