#include "crypto/key_folder.hpp"

namespace tideline::crypto {

core::Result<KeyFolder::Keys> KeyFolder::read(const std::filesystem::path& folder) {
  Keys keys;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() != ".key") continue;
    const std::string id = entry->path().stem().string();
    if (id.empty() || id.size() > kIdMax)
      return core::invalid_input("the name of a key is too long: " + id);
    const auto secret = KeyedHash::read_secret(entry->path());
    if (!secret) return secret.error();
    keys.emplace(id, *secret);
  }
  if (error || keys.empty())
    return core::Error{core::ErrorCode::NotFound, "no keys in " + folder.string()};
  return keys;
}

core::Result<std::unique_ptr<KeyFolder>> KeyFolder::load(std::filesystem::path folder) {
  auto keys = read(folder);
  if (!keys) return keys.error();
  return std::unique_ptr<KeyFolder>(new KeyFolder(std::move(folder), *std::move(keys)));
}

std::unique_ptr<KeyFolder> KeyFolder::of(const KeyedHash::Secret& key) {
  return std::unique_ptr<KeyFolder>(new KeyFolder({}, {{"", key}}));
}

std::shared_ptr<const KeyFolder::Keys> KeyFolder::keys() const {
  const std::lock_guard lock(mutex_);
  return keys_;
}

core::Status KeyFolder::look_again() {
  if (folder_.empty()) return core::success();
  const std::lock_guard reading(reading_);
  auto found = read(folder_);
  if (!found) return found.error();
  const std::lock_guard lock(mutex_);
  keys_ = std::make_shared<const Keys>(*std::move(found));
  return core::success();
}

}  // namespace tideline::crypto
