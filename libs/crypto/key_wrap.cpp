#include "crypto/key_wrap.hpp"

#include <sodium.h>

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/encoding.hpp"
#include "crypto/sodium_ready.hpp"

namespace tideline::crypto {
namespace {

constexpr std::size_t kKeyBytes = std::tuple_size_v<SubjectKey>;
constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kWrappedBytes = kKeyBytes + crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(kKeyBytes == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);

unsigned char* raw(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* raw(std::string_view text) { return core::as_bytes(text).data(); }

core::Result<SubjectKey> plain_key(std::string_view stored) {
  if (stored.size() != kKeyBytes) return core::invalid_input("a key of a subject has 32 bytes");
  SubjectKey key{};
  std::ranges::copy(core::as_bytes(stored), key.begin());
  return key;
}

// As it is stored: one byte with the length of the id, the id, the nonce, and what is encrypted.
struct Wrapped {
  std::string id;
  std::string_view nonce;
  std::string_view sealed;
};

std::optional<Wrapped> parse(std::string_view stored) {
  if (stored.empty()) return std::nullopt;
  const auto id_size = static_cast<unsigned char>(stored.front());
  if (id_size == 0 || stored.size() != 1 + id_size + kNonceBytes + kWrappedBytes)
    return std::nullopt;
  return Wrapped{std::string(stored.substr(1, id_size)), stored.substr(1 + id_size, kNonceBytes),
                 stored.substr(1 + id_size + kNonceBytes)};
}

// What is bound to the subject and to the key that wraps.
std::string associated_data(const core::AccountId& subject, std::string_view id) {
  return std::string(subject.bytes().begin(), subject.bytes().end()).append(id);
}

}  // namespace

core::Result<std::string> NoKeyWrap::wrap(const core::AccountId&, const SubjectKey& key) {
  return std::string(key.begin(), key.end());
}

core::Result<SubjectKey> NoKeyWrap::unwrap(const core::AccountId&, std::string_view stored) {
  auto key = plain_key(stored);
  if (!key && parse(stored))
    return core::Error{core::ErrorCode::NotFound,
                       "a key of a subject is wrapped, and TIDELINE_WRAPPING_KEYS is not set"};
  return key;
}

core::Result<std::unique_ptr<FileKeyWrap>> FileKeyWrap::load(std::filesystem::path folder) {
  auto keys = KeyFolder::load(std::move(folder));
  if (!keys) return keys.error();
  return std::unique_ptr<FileKeyWrap>(new FileKeyWrap(*std::move(keys)));
}

core::Result<std::string> FileKeyWrap::wrap(const core::AccountId& subject, const SubjectKey& key) {
  sodium_ready();
  const auto keys = keys_->keys();
  const auto& [id, wrapping] = *keys->rbegin();
  const std::string data = associated_data(subject, id);
  std::string stored = static_cast<char>(id.size()) + id;
  std::string nonce(kNonceBytes, '\0');
  randombytes_buf(nonce.data(), nonce.size());
  std::string sealed(kWrappedBytes, '\0');
  crypto_aead_xchacha20poly1305_ietf_encrypt(raw(sealed), nullptr, key.data(), key.size(),
                                             raw(std::string_view(data)), data.size(), nullptr,
                                             raw(std::string_view(nonce)), wrapping.data());
  return stored + nonce + sealed;
}

core::Result<SubjectKey> FileKeyWrap::key_of(const std::string& id) {
  if (!keys_->keys()->contains(id)) {
    const auto looked = keys_->look_again();
    if (!looked) return looked.error();
  }
  const auto keys = keys_->keys();
  const auto found = keys->find(id);
  if (found != keys->end()) return found->second;
  return core::Error{core::ErrorCode::NotFound, "the wrapping key " + id + " is not there"};
}

core::Result<SubjectKey> FileKeyWrap::unwrap(const core::AccountId& subject,
                                             std::string_view stored) {
  if (stored.size() == kKeyBytes) return plain_key(stored);
  const auto wrapped = parse(stored);
  if (!wrapped) return core::invalid_input("this is not a wrapped key");
  const auto wrapping = key_of(wrapped->id);
  if (!wrapping) return wrapping.error();
  const std::string data = associated_data(subject, wrapped->id);
  SubjectKey key{};
  const int failed = crypto_aead_xchacha20poly1305_ietf_decrypt(
      key.data(), nullptr, nullptr, raw(wrapped->sealed), wrapped->sealed.size(),
      raw(std::string_view(data)), data.size(), raw(wrapped->nonce), wrapping->data());
  if (failed != 0) return core::invalid_input("a wrapped key is damaged, or of another subject");
  return key;
}

bool FileKeyWrap::is_current(std::string_view stored) {
  const auto wrapped = parse(stored);
  return stored.size() != kKeyBytes && wrapped && wrapped->id == keys_->keys()->rbegin()->first;
}

}  // namespace tideline::crypto
