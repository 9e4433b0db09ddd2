// BLAKE2b-128 under a secret: what only who has the secret can make.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "core/result.hpp"

namespace tideline::crypto {

// Immutable: any number of threads may share one. Copies are cheap.
class KeyedHash {
 public:
  using Secret = std::array<std::uint8_t, 32>;
  using Value = std::array<std::uint8_t, 16>;

  explicit KeyedHash(const Secret& secret) : secret_(secret) {}

  // Reads 64 hexadecimal characters (surrounding white space is ignored). Blocks on the file.
  // NotFound: no readable file; InvalidInput: it holds something else.
  static core::Result<KeyedHash> load(const std::filesystem::path& path);

  // The secret of such a file.
  static core::Result<Secret> read_secret(const std::filesystem::path& path);

  Value of(std::string_view text) const;

 private:
  Secret secret_;
};

}  // namespace tideline::crypto
