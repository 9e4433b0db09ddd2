// From user_id (what people type and see) to account id (what everything inside is keyed by).
//
// The id is BLAKE2b-128 of the user_id under the installation's secret: every service computes the
// same id without asking another, and nobody who reads ids can find user_ids by trying them.
// Changing the secret renames every person: it belongs to the data, keep it with the backups.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "crypto/keyed_hash.hpp"

namespace tideline::crypto {

// Immutable: any number of threads may share one. Copies are cheap.
class AccountIds {
 public:
  using Secret = KeyedHash::Secret;

  explicit AccountIds(const Secret& secret) : hash_(secret) {}

  // As KeyedHash::load().
  static core::Result<AccountIds> load(const std::filesystem::path& path);

  // Pure and total: the syntax of a user_id is checked where it enters.
  core::AccountId of(std::string_view user_id) const { return core::AccountId(hash_.of(user_id)); }

 private:
  explicit AccountIds(const KeyedHash& hash) : hash_(hash) {}

  KeyedHash hash_;
};

}  // namespace tideline::crypto
