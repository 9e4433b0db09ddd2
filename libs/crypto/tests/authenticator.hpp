// What a person's authenticator app shows.
#pragma once

#include <liboath/oath.h>

#include <array>
#include <chrono>
#include <string>

#include "core/check.hpp"
#include "core/clock.hpp"

namespace tideline::crypto {

inline std::string totp_code(const std::string& secret, core::Timestamp now) {
  char* bytes = nullptr;
  std::size_t size = 0;
  CHECK(oath_base32_decode(secret.data(), secret.size(), &bytes, &size) == OATH_OK, "a secret");
  std::array<char, 16> code{};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch());
  CHECK(oath_totp_generate(bytes, size, seconds.count(), 30, 0, 6, code.data()) == OATH_OK,
        "a code");
  free(bytes);
  return code.data();
}

}  // namespace tideline::crypto
