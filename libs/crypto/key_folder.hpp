// Keys in files of one folder, `<id>.key`, each 64 hexadecimal characters. The last by its name is
// used for what is made from now on; the others are there for what was made by them.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/result.hpp"
#include "crypto/keyed_hash.hpp"

namespace tideline::crypto {

// Thread-safe.
class KeyFolder {
 public:
  // By id; never empty.
  using Keys = std::map<std::string, KeyedHash::Secret, std::less<>>;
  static constexpr std::size_t kIdMax = 64;

  // Blocks on the files. NotFound: none is there; InvalidInput: one holds something else, or has an
  // id that is longer than kIdMax.
  static core::Result<std::unique_ptr<KeyFolder>> load(std::filesystem::path folder);
  // A key that comes from elsewhere and has no others beside it.
  static std::unique_ptr<KeyFolder> of(const KeyedHash::Secret& key);

  [[nodiscard]] std::shared_ptr<const Keys> keys() const;
  // Reads the folder again, so that a process that runs learns of a new key. Blocks. The error of a
  // file that cannot be read; then nothing has changed.
  core::Status look_again();

 private:
  KeyFolder(std::filesystem::path folder, Keys keys)
      : folder_(std::move(folder)), keys_(std::make_shared<const Keys>(std::move(keys))) {}
  static core::Result<Keys> read(const std::filesystem::path& folder);

  const std::filesystem::path folder_;  // empty: there is none
  std::mutex reading_;                  // the later reading is what counts
  mutable std::mutex mutex_;
  std::shared_ptr<const Keys> keys_;
};

}  // namespace tideline::crypto
