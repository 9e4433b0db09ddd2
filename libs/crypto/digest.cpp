#include "crypto/digest.hpp"

#include <sodium.h>

#include "core/check.hpp"
#include "core/encoding.hpp"
#include "crypto/sodium_ready.hpp"

namespace tideline::crypto {

Digest sha256(std::string_view bytes) {
  static_assert(std::tuple_size_v<Digest> == crypto_hash_sha256_BYTES);
  sodium_ready();
  Digest digest;
  const auto input = core::as_bytes(bytes);
  crypto_hash_sha256(digest.data(), input.data(), input.size());
  return digest;
}

std::string sha256_hex(std::string_view bytes) { return core::to_hex(sha256(bytes)); }

Digest blake2b_256(std::string_view bytes) {
  sodium_ready();
  Digest digest;
  const auto input = core::as_bytes(bytes);
  const int failed =
      crypto_generichash(digest.data(), digest.size(), input.data(), input.size(), nullptr, 0);
  CHECK(failed == 0, "BLAKE2b takes any text");
  return digest;
}

std::string blake2b_256_hex(std::string_view bytes) { return core::to_hex(blake2b_256(bytes)); }

std::string random_token(core::Random& random) {
  std::array<std::uint8_t, 32> bytes{};
  random.fill(bytes);
  return core::to_base64url(bytes);
}

bool equal_in_constant_time(std::string_view left, std::string_view right) {
  return left.size() == right.size() && sodium_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace tideline::crypto
