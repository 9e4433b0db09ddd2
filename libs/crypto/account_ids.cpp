#include "crypto/account_ids.hpp"

namespace tideline::crypto {

core::Result<AccountIds> AccountIds::load(const std::filesystem::path& path) {
  auto hash = KeyedHash::load(path);
  if (!hash) return hash.error();
  return AccountIds(*std::move(hash));
}

}  // namespace tideline::crypto
