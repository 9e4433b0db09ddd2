#include "crypto/keyed_hash.hpp"

#include <sodium.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "core/check.hpp"
#include "core/encoding.hpp"
#include "crypto/key_file.hpp"
#include "crypto/sodium_ready.hpp"

namespace tideline::crypto {

core::Result<KeyedHash::Secret> KeyedHash::read_secret(const std::filesystem::path& path) {
  core::Result<std::string> file = read_key_file(path);
  if (!file) return file.error();
  std::string hex;
  for (const char letter : *file) {
    const auto byte = static_cast<unsigned char>(letter);
    // Only around the key: white space within it would make an odd length and fail below.
    if (std::isspace(byte) == 0) {
      hex.push_back(static_cast<char>(std::tolower(byte)));
    } else if (!hex.empty() && hex.size() < 2 * std::tuple_size_v<Secret>) {
      hex.push_back(letter);
    }
  }
  const std::optional<core::Bytes> bytes = core::from_hex(hex);
  if (!bytes || bytes->size() != std::tuple_size_v<Secret>) {
    return core::invalid_input("a secret must be 64 hexadecimal characters: " + path.string());
  }
  Secret secret;
  std::copy(bytes->begin(), bytes->end(), secret.begin());
  return secret;
}

core::Result<KeyedHash> KeyedHash::load(const std::filesystem::path& path) {
  const auto secret = read_secret(path);
  if (!secret) return secret.error();
  return KeyedHash(*secret);
}

KeyedHash::Value KeyedHash::of(std::string_view text) const {
  sodium_ready();
  Value value;
  const auto bytes = core::as_bytes(text);
  const int failed = crypto_generichash(value.data(), value.size(), bytes.data(), bytes.size(),
                                        secret_.data(), secret_.size());
  CHECK(failed == 0, "BLAKE2b takes any text");
  return value;
}

}  // namespace tideline::crypto
