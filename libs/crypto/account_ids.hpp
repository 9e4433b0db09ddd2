// From user_id (what people type and see) to account id (what everything inside is keyed by).
//
// The id is BLAKE2b-128 of the user_id under the installation's secret: every service computes the
// same id without asking another, and nobody who reads ids can find user_ids by trying them.
// Changing the secret renames every person: it belongs to the data, keep it with the backups.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "core/ids.hpp"
#include "core/result.hpp"

namespace tideline::crypto {

// Immutable: any number of threads may share one. Copies are cheap.
class AccountIds {
 public:
  using Secret = std::array<std::uint8_t, 32>;

  explicit AccountIds(const Secret& secret) : secret_(secret) {}

  // Reads 64 hexadecimal characters (surrounding white space is ignored). Blocks on the file.
  // NotFound: no readable file; InvalidInput: it holds something else.
  static core::Result<AccountIds> load(const std::filesystem::path& path);

  // Pure and total: the syntax of a user_id is checked where it enters.
  core::AccountId of(std::string_view user_id) const;

 private:
  Secret secret_;
};

}  // namespace tideline::crypto
