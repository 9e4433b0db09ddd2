// Where a browser takes messages, and the keys under which it alone reads them: what
// PushSubscription.toJSON() of a page gives (W3C Push API).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace tideline::push {

inline constexpr std::size_t kEndpointLengthMax = 1000;

// Whom messages may be sent to.
enum class Reach {
  Public,   // https at port 443 of public addresses
  Anybody,  // also http, other ports and this machine: for tests
};

struct PushTarget {
  std::string endpoint;
  std::array<std::uint8_t, 65> key;     // "p256dh": a point of P-256, uncompressed
  std::array<std::uint8_t, 16> secret;  // "auth"

  // What is stored, and back; an error for what to_text() has not written.
  std::string to_text() const;
  static core::Result<PushTarget> of_text(std::string_view text);
};

// Base64url keys as a page has them, also with padding. InvalidInput with what is wrong.
core::Result<PushTarget> read_target(std::string_view endpoint, std::string_view p256dh,
                                     std::string_view auth, Reach reach);

// "https://push.example.com" of an endpoint: whom a VAPID token is for (RFC 8292, 2). InvalidInput
// for what may not be reached.
core::Result<std::string> origin_of(const std::string& endpoint, Reach reach);

}  // namespace tideline::push
