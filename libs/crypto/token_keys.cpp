#include "crypto/token_keys.hpp"

#include <algorithm>

#include "crypto/key_file.hpp"

namespace tideline::crypto {
namespace {

constexpr std::size_t kKeysMax = 64;

core::Result<PublicKeys> read_folder(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::directory_iterator file(folder, failure);
  if (failure) {
    return core::Error{core::ErrorCode::NotFound, "cannot read the folder " + folder.string()};
  }
  PublicKeys keys;
  for (; file != std::filesystem::directory_iterator(); file.increment(failure)) {
    const std::filesystem::path path = file->path();
    if (path.extension() != ".pem") continue;
    const std::string kid = path.stem().string();
    if (!is_key_id(kid)) return core::invalid_input("not a key id: " + path.string());
    const core::Result<std::string> pem = read_key_file(path);
    if (!pem) return pem.error();
    core::Result<P256PublicKey> key = P256PublicKey::from_pem(*pem);
    if (!key) return core::invalid_input(path.string() + ": " + key.error().message);
    keys.emplace(kid, *std::move(key));
    if (keys.size() > kKeysMax) return core::invalid_input("too many keys in " + folder.string());
  }
  if (failure) return core::unavailable("the folder changed while it was read");
  if (keys.empty()) {
    return core::Error{core::ErrorCode::NotFound, "no <kid>.pem in " + folder.string()};
  }
  return keys;
}

bool is_key_letter(char letter) {
  return (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ||
         (letter >= '0' && letter <= '9') || letter == '.' || letter == '_' || letter == '-';
}

}  // namespace

bool is_key_id(std::string_view text) {
  return !text.empty() && text.size() <= 64 && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), is_key_letter);
}

core::Result<std::unique_ptr<TokenKeys>> TokenKeys::load(std::filesystem::path folder,
                                                         std::chrono::seconds reread_interval,
                                                         std::chrono::seconds refresh_interval) {
  core::Result<PublicKeys> keys = read_folder(folder);
  if (!keys) return keys.error();
  return std::unique_ptr<TokenKeys>(
      new TokenKeys(std::move(folder), reread_interval, refresh_interval, *std::move(keys)));
}

TokenKeys::TokenKeys(std::filesystem::path folder, std::chrono::seconds reread_interval,
                     std::chrono::seconds refresh_interval, PublicKeys keys)
    : folder_(std::move(folder)),
      reread_interval_(reread_interval),
      refresh_interval_(refresh_interval),
      keys_(std::make_shared<const PublicKeys>(std::move(keys))) {}

std::optional<P256PublicKey> TokenKeys::find(std::string_view kid, core::Timestamp now) {
  const std::lock_guard lock(mutex_);
  reread_after(refresh_interval_, now);
  if (!keys_->contains(kid)) reread_after(reread_interval_, now);
  const auto key = keys_->find(kid);
  if (key == keys_->end()) return std::nullopt;
  return key->second;
}

std::shared_ptr<const PublicKeys> TokenKeys::all(core::Timestamp now) {
  const std::lock_guard lock(mutex_);
  reread_after(reread_interval_, now);
  return keys_;
}

void TokenKeys::reread_after(std::chrono::seconds interval, core::Timestamp now) {
  // A clock that was set back must not stop the reading.
  if (read_at_ && *read_at_ <= now && now - *read_at_ < interval) return;
  read_at_ = now;
  core::Result<PublicKeys> keys = read_folder(folder_);
  if (keys) keys_ = std::make_shared<const PublicKeys>(*std::move(keys));
}

}  // namespace tideline::crypto
