#include "crypto/sodium_ready.hpp"

#include <sodium.h>

#include "core/check.hpp"

namespace tideline::crypto {

void sodium_ready() {
  static const bool kReady = sodium_init() >= 0;
  CHECK(kReady, "libsodium finds no source of randomness");
}

}  // namespace tideline::crypto
