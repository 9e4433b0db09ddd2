// The public keys of a folder, read again as the folder changes. Private to this folder.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "crypto/p256_key.hpp"

namespace tideline::crypto {

// A kid is the stem of a file and goes into headers: 1 to 64 of A-Z a-z 0-9 . _ - and no leading
// dot.
bool is_key_id(std::string_view text);

using PublicKeys = std::map<std::string, P256PublicKey, std::less<>>;

// Thread-safe. Blocks while the folder is read, by whichever thread.
class TokenKeys {
 public:
  static core::Result<std::unique_ptr<TokenKeys>> load(std::filesystem::path folder,
                                                       std::chrono::seconds reread_interval,
                                                       std::chrono::seconds refresh_interval);

  std::optional<P256PublicKey> find(std::string_view kid, core::Timestamp now);
  // The keys as of the last `reread_interval`.
  std::shared_ptr<const PublicKeys> all(core::Timestamp now);

 private:
  TokenKeys(std::filesystem::path folder, std::chrono::seconds reread_interval,
            std::chrono::seconds refresh_interval, PublicKeys keys);

  void reread_after(std::chrono::seconds interval, core::Timestamp now);

  const std::filesystem::path folder_;
  const std::chrono::seconds reread_interval_;
  const std::chrono::seconds refresh_interval_;
  std::mutex mutex_;
  std::shared_ptr<const PublicKeys> keys_;
  std::optional<core::Timestamp> read_at_;
};

}  // namespace tideline::crypto
