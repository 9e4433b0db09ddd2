// A message that one browser alone can read (RFC 8291): encrypted with aes128gcm (RFC 8188) under a
// key that is made of the browser's, of one that is made for this message, and of a secret.
//
// All messages are of one length, so that whoever passes them on learns nothing of it. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "crypto/p256_key.hpp"
#include "push/push_target.hpp"

namespace tideline::push {

inline constexpr std::size_t kMessageLengthMax = 255;

// The body of a request: header and one record. InvalidInput for a text that is longer.
core::Result<std::string> encrypt(const PushTarget& target, std::string_view text);

// With a given key and salt, and so many bytes of padding: as the example of RFC 8291 has it.
core::Result<std::string> encrypt_with(const PushTarget& target, std::string_view text,
                                       const crypto::P256PrivateKey& key,
                                       const std::array<std::uint8_t, 16>& salt,
                                       std::size_t padding);

}  // namespace tideline::push
