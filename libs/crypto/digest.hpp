// Hashes, opaque tokens and comparison that leaks no timing. Pure functions, callable from any
// thread, never blocking; nothing here fails.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/random.hpp"

namespace tideline::crypto {

using Digest = std::array<std::uint8_t, 32>;

// For names that others compute too: content hashes of uploads.
Digest sha256(std::string_view bytes);
// Lower-case, 64 characters.
std::string sha256_hex(std::string_view bytes);

// The faster one, for hashes that stay inside: bodies behind an idempotency key, opaque tokens.
Digest blake2b_256(std::string_view bytes);
std::string blake2b_256_hex(std::string_view bytes);

// 256 random bits as 43 characters of base64url: refresh tokens. Store only the hash of one.
std::string random_token(core::Random& random);

// Time depends on the lengths alone.
bool equal_in_constant_time(std::string_view left, std::string_view right);

}  // namespace tideline::crypto
