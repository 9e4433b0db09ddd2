#include "crypto/account_ids.hpp"

#include <sodium.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "core/check.hpp"
#include "core/encoding.hpp"
#include "crypto/key_file.hpp"
#include "crypto/sodium_ready.hpp"

namespace tideline::crypto {

core::Result<AccountIds> AccountIds::load(const std::filesystem::path& path) {
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
    return core::invalid_input("the account secret must be 64 hexadecimal characters: " +
                               path.string());
  }
  Secret secret;
  std::copy(bytes->begin(), bytes->end(), secret.begin());
  return AccountIds(secret);
}

core::AccountId AccountIds::of(std::string_view user_id) const {
  sodium_ready();
  core::AccountId::Bytes id;
  const auto bytes = core::as_bytes(user_id);
  const int failed = crypto_generichash(id.data(), id.size(), bytes.data(), bytes.size(),
                                        secret_.data(), secret_.size());
  CHECK(failed == 0, "BLAKE2b takes any text");
  return core::AccountId(id);
}

}  // namespace tideline::crypto
