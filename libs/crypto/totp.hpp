// Codes of authenticator apps: TOTP (RFC 6238) with SHA-1, six digits and steps of 30 seconds,
// which all of them know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/random.hpp"

namespace tideline::crypto {

// 160 random bits as 32 characters of base32, upper-case: what a person types into an app.
std::string new_totp_secret(core::Random& random);
// Whether it is one of these.
bool is_totp_secret(std::string_view secret);
// What an app reads as a QR code. `issuer` and `account` have no characters that a URI would
// escape.
std::string totp_uri(std::string_view secret, std::string_view issuer, std::string_view account);

// The time step whose code this is, of the present one and one to either side; nullopt: none of
// them. A step must be accepted once only (RFC 6238, 5.2): the caller remembers the last one.
// Thread-safe.
std::optional<std::int64_t> totp_step(std::string_view secret, std::string_view code,
                                      core::Timestamp now);

}  // namespace tideline::crypto
