#include "core/encoding.hpp"

#include <array>

namespace tideline::core {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kBase32 = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::string_view kBase64Url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Each letter carries `bits` bits, most significant first; the last one is filled up with zeros.
std::string encode(std::span<const std::uint8_t> bytes, std::string_view alphabet, unsigned bits) {
  std::string text;
  text.reserve((bytes.size() * 8 + bits - 1) / bits);
  std::uint32_t window = 0;
  unsigned held = 0;
  for (const std::uint8_t byte : bytes) {
    window = (window << 8) | byte;
    held += 8;
    while (held >= bits) {
      held -= bits;
      text.push_back(alphabet[(window >> held) & ((1U << bits) - 1)]);
    }
  }
  if (held > 0) text.push_back(alphabet[(window << (bits - held)) & ((1U << bits) - 1)]);
  return text;
}

std::optional<Bytes> decode(std::string_view text, std::string_view alphabet, unsigned bits) {
  Bytes bytes;
  bytes.reserve(text.size() * bits / 8);
  std::uint32_t window = 0;
  unsigned held = 0;
  for (const char letter : text) {
    const std::size_t value = alphabet.find(letter);
    if (value == std::string_view::npos) return std::nullopt;
    window = (window << bits) | static_cast<std::uint32_t>(value);
    held += bits;
    if (held >= 8) {
      held -= 8;
      bytes.push_back(static_cast<std::uint8_t>(window >> held));
    }
  }
  // A whole letter left over, or filling bits that are not zero, would be a second text of a value.
  const bool canonical = held < bits && (window & ((1U << held) - 1)) == 0;
  if (!canonical) return std::nullopt;
  return bytes;
}

}  // namespace

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// Each request has several ids: written without the general loop.
std::string to_hex(std::span<const std::uint8_t> bytes) {
  std::string text(2 * bytes.size(), '\0');
  auto letter = text.begin();
  for (const std::uint8_t byte : bytes) {
    *letter++ = kHex[byte >> 4U];
    *letter++ = kHex[byte & 0xfU];
  }
  return text;
}
std::optional<Bytes> from_hex(std::string_view text) { return decode(text, kHex, 4); }
std::string to_base32(std::span<const std::uint8_t> bytes) { return encode(bytes, kBase32, 5); }
std::optional<Bytes> from_base32(std::string_view text) { return decode(text, kBase32, 5); }
std::string to_base64url(std::span<const std::uint8_t> bytes) {
  return encode(bytes, kBase64Url, 6);
}
std::optional<Bytes> from_base64url(std::string_view text) { return decode(text, kBase64Url, 6); }

}  // namespace tideline::core
