#include "core/encoding.hpp"

#include <array>
#include <numeric>

namespace tideline::core {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kBase32 = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::string_view kBase64Url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::uint8_t kNoLetter = 255;

// What each letter stands for.
constexpr std::array<std::uint8_t, 256> values_of(std::string_view alphabet) {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoLetter);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values.at(static_cast<std::uint8_t>(alphabet[i])) = static_cast<std::uint8_t>(i);
  }
  return values;
}

constexpr auto kHexValues = values_of(kHex);
constexpr auto kBase32Values = values_of(kBase32);
constexpr auto kBase64UrlValues = values_of(kBase64Url);

// Each letter carries kBits bits, most significant first; the last one is filled up with zeros.
template <unsigned kBits>
std::string encode(std::span<const std::uint8_t> bytes, std::string_view alphabet) {
  // The fewest bytes that make whole letters: they are taken at once.
  constexpr unsigned kGroupBits = std::lcm(8U, kBits);
  constexpr std::size_t kGroup = kGroupBits / 8;
  std::string text((bytes.size() * 8 + kBits - 1) / kBits, '\0');
  auto letter = text.begin();
  const auto letter_at = [&](std::uint64_t window, unsigned place) {
    return alphabet[window >> (kGroupBits - (place + 1) * kBits) & ((1U << kBits) - 1)];
  };
  for (; bytes.size() >= kGroup; bytes = bytes.subspan(kGroup)) {
    std::uint64_t window = 0;
#pragma GCC unroll 5
    for (std::size_t i = 0; i < kGroup; ++i) window = window << 8U | bytes[i];
#pragma GCC unroll 8
    for (unsigned place = 0; place < kGroupBits / kBits; ++place) {
      *letter++ = letter_at(window, place);
    }
  }
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < kGroup; ++i) rest = rest << 8U | (i < bytes.size() ? bytes[i] : 0U);
  for (unsigned place = 0; letter != text.end(); ++place) *letter++ = letter_at(rest, place);
  return text;
}

// False: not what encode() writes for so many bytes.
template <unsigned kBits>
bool decode_to(std::span<std::uint8_t> bytes, std::string_view text,
               const std::array<std::uint8_t, 256>& values) {
  if (text.size() != (bytes.size() * 8 + kBits - 1) / kBits) return false;
  auto byte = bytes.begin();
  std::uint32_t window = 0;
  unsigned held = 0;
  for (const char letter : text) {
    const std::uint8_t value = values[static_cast<std::uint8_t>(letter)];
    if (value == kNoLetter) return false;
    window = (window << kBits) | value;
    held += kBits;
    if (held >= 8) {
      held -= 8;
      *byte++ = static_cast<std::uint8_t>(window >> held);
    }
  }
  // Filling bits that are not zero would be a second text of the same bytes.
  return (window & ((1U << held) - 1)) == 0;
}

template <unsigned kBits>
std::optional<Bytes> decode(std::string_view text, const std::array<std::uint8_t, 256>& values) {
  Bytes bytes(text.size() * kBits / 8);
  if (!decode_to<kBits>(bytes, text, values)) return std::nullopt;
  return bytes;
}

}  // namespace

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string to_hex(std::span<const std::uint8_t> bytes) { return encode<4>(bytes, kHex); }
std::optional<Bytes> from_hex(std::string_view text) { return decode<4>(text, kHexValues); }
bool read_hex(std::string_view text, std::span<std::uint8_t> into) {
  return decode_to<4>(into, text, kHexValues);
}
std::string to_base32(std::span<const std::uint8_t> bytes) { return encode<5>(bytes, kBase32); }
std::optional<Bytes> from_base32(std::string_view text) { return decode<5>(text, kBase32Values); }
bool read_base32(std::string_view text, std::span<std::uint8_t> into) {
  return decode_to<5>(into, text, kBase32Values);
}
std::string to_base64url(std::span<const std::uint8_t> bytes) {
  return encode<6>(bytes, kBase64Url);
}
std::optional<Bytes> from_base64url(std::string_view text) {
  return decode<6>(text, kBase64UrlValues);
}

}  // namespace tideline::core
