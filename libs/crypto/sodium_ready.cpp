#include "crypto/sodium_ready.hpp"

#include <sodium.h>

#include "core/check.hpp"

namespace tideline::crypto {

void sodium_ready() {
  static const bool ready = sodium_init() >= 0;
  CHECK(ready, "libsodium finds no source of randomness");
}

}  // namespace tideline::crypto
