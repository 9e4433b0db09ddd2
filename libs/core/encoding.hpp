// Text forms of bytes. Pure functions; decoders return nullopt for anything that their encoder
// would not have written (so that every value has exactly one text).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tideline::core {

using Bytes = std::vector<std::uint8_t>;

std::span<const std::uint8_t> as_bytes(std::string_view text);

std::string to_hex(std::span<const std::uint8_t> bytes);
std::optional<Bytes> from_hex(std::string_view text);
// The same where it is known how many bytes there are: false for a text of another number, too.
bool read_hex(std::string_view text, std::span<std::uint8_t> into);

// RFC 4648 base32, lower-case, without padding.
std::string to_base32(std::span<const std::uint8_t> bytes);
std::optional<Bytes> from_base32(std::string_view text);
bool read_base32(std::string_view text, std::span<std::uint8_t> into);

// RFC 4648 base64url without padding.
std::string to_base64url(std::span<const std::uint8_t> bytes);
std::optional<Bytes> from_base64url(std::string_view text);

}  // namespace tideline::core
