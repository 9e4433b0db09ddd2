#include "crypto/subject_cipher.hpp"

#include <sodium.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/encoding.hpp"
#include "crypto/sodium_ready.hpp"

namespace tideline::crypto {
namespace {

using eventsourcing::kUnsealed;

constexpr std::string_view kVersion = "1.";
constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(std::tuple_size_v<SubjectKey> == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);

// The author has a fixed length, so that author and context cannot run into each other.
std::string associated_data(const core::AccountId& author, std::string_view context) {
  std::string data(author.bytes().begin(), author.bytes().end());
  data.append(context);
  return data;
}

const unsigned char* raw(std::string_view text) { return core::as_bytes(text).data(); }

std::string seal_under(const SubjectKey& key, const core::AccountId& author,
                       std::string_view plaintext, std::string_view context) {
  const std::string data = associated_data(author, context);
  core::Bytes bytes(kNonceBytes + plaintext.size() + kTagBytes);
  randombytes_buf(bytes.data(), kNonceBytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(bytes.data() + kNonceBytes, nullptr, raw(plaintext),
                                             plaintext.size(), raw(data), data.size(), nullptr,
                                             bytes.data(), key.data());
  return std::string(kVersion) + core::to_base64url(bytes);
}

std::optional<core::Bytes> unpack(std::string_view sealed) {
  if (!sealed.starts_with(kVersion)) return std::nullopt;
  std::optional<core::Bytes> bytes = core::from_base64url(sealed.substr(kVersion.size()));
  if (!bytes || bytes->size() < kNonceBytes + kTagBytes) return std::nullopt;
  return bytes;
}

// nullopt: it was sealed under another key.
core::Result<std::optional<std::string>> open_under(const SubjectKey& key, const SealedText& text) {
  const std::optional<core::Bytes> bytes = unpack(text.sealed);
  if (!bytes) return core::invalid_input("this is not a sealed text");
  const std::string data = associated_data(text.author, text.context);
  std::string plaintext(bytes->size() - kNonceBytes - kTagBytes, '\0');
  const int failed = crypto_aead_xchacha20poly1305_ietf_decrypt(
      reinterpret_cast<unsigned char*>(plaintext.data()), nullptr, nullptr,
      bytes->data() + kNonceBytes, bytes->size() - kNonceBytes, raw(data), data.size(),
      bytes->data(), key.data());
  if (failed != 0) return std::optional<std::string>();
  return std::optional(std::move(plaintext));
}

}  // namespace

// Keeps keys until a fixed time after they were read, never longer for being used: what has been
// destroyed elsewhere must end here too.
class SubjectCipher::KeyCache {
 public:
  KeyCache(const core::Clock& clock, const SubjectCipherOptions& options)
      : clock_(clock), options_(options) {}

  // A key that was read before an eviction must not come back after it: put() drops what it brings
  // if this number has moved since.
  std::uint64_t evictions() const {
    const std::lock_guard lock(mutex_);
    return evictions_;
  }

  std::optional<SubjectKey> find(const core::AccountId& author) {
    const core::Timestamp now = clock_.now();
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(author);
    if (entry == entries_.end()) return std::nullopt;
    if (entry->second.until <= now) {
      sodium_memzero(entry->second.key.data(), entry->second.key.size());
      entries_.erase(entry);
      return std::nullopt;
    }
    return entry->second.key;
  }

  void put(const core::AccountId& author, const SubjectKey& key, std::uint64_t evictions_seen) {
    if (options_.cached_keys_max == 0) return;
    const core::Timestamp now = clock_.now();
    const std::lock_guard lock(mutex_);
    if (evictions_ != evictions_seen) return;
    if (entries_.size() >= options_.cached_keys_max) make_room(now);
    entries_.insert_or_assign(author, Entry{key, now + options_.cached_key_ttl});
  }

  void evict(const core::AccountId& author) {
    const std::lock_guard lock(mutex_);
    ++evictions_;
    entries_.erase(author);
  }

 private:
  struct Entry {
    SubjectKey key;
    core::Timestamp until;
  };

  // Entries live for seconds, so the cache as a whole may start again when nothing has expired.
  void make_room(core::Timestamp now) {
    std::erase_if(entries_, [now](const auto& entry) { return entry.second.until <= now; });
    if (entries_.size() >= options_.cached_keys_max) entries_.clear();
  }

  const core::Clock& clock_;
  const SubjectCipherOptions options_;
  mutable std::mutex mutex_;
  std::unordered_map<core::AccountId, Entry> entries_;
  std::uint64_t evictions_ = 0;
};

SubjectCipher::SubjectCipher(SubjectKeys& keys, const core::Clock& clock,
                             SubjectCipherOptions options)
    : keys_(keys),
      indexed_by_(options.indexed_by),
      cache_(std::make_unique<KeyCache>(clock, options)) {
  sodium_ready();
}

SubjectCipher::~SubjectCipher() = default;

core::Result<std::string> SubjectCipher::seal(const core::AccountId& author,
                                              std::string_view plaintext,
                                              std::string_view context) {
  std::optional<SubjectKey> key = cache_->find(author);
  if (!key) {
    const std::uint64_t evictions = cache_->evictions();
    const core::Result<SubjectKey> made = keys_.get_or_create(author);
    if (!made) return made.error();
    cache_->put(author, *made, evictions);
    key = *made;
  }
  return seal_under(*key, author, plaintext, context);
}

core::Result<std::optional<std::string>> SubjectCipher::open(const core::AccountId& author,
                                                             std::string_view sealed,
                                                             std::string_view context) {
  const SealedText text{author, sealed, context};
  core::Result<std::vector<std::optional<std::string>>> opened = open_many({&text, 1});
  if (!opened) return opened.error();
  return std::move(opened->front());
}

// "index:" keeps these apart from account ids, for no user_id holds a colon; and no context holds
// the end of a line.
std::string SubjectCipher::index(std::string_view text, std::string_view context) const {
  CHECK(indexed_by_.has_value(), "who indexes has been given a secret");
  return indexed_by_->of("index:" + std::string(context) + "\n" + std::string(text)).to_string();
}

core::Result<std::vector<std::optional<std::string>>> SubjectCipher::open_many(
    std::span<const SealedText> texts) {
  std::unordered_map<core::AccountId, std::optional<SubjectKey>> keys;
  std::vector<core::AccountId> missing;
  for (const SealedText& text : texts) {
    if (keys.contains(text.author) || text.sealed.starts_with(kUnsealed)) continue;
    std::optional<SubjectKey>& key = keys[text.author];
    key = cache_->find(text.author);
    if (!key) missing.push_back(text.author);
  }
  if (!missing.empty()) {
    const std::uint64_t evictions = cache_->evictions();
    core::Result<std::vector<std::optional<SubjectKey>>> found = keys_.find_many(missing);
    if (!found) return found.error();
    CHECK(found->size() == missing.size(), "find_many answers for every subject");
    for (std::size_t i = 0; i < missing.size(); ++i) {
      const std::optional<SubjectKey>& key = (*found)[i];
      if (key) cache_->put(missing[i], *key, evictions);
      keys[missing[i]] = key;
    }
  }
  std::vector<std::optional<std::string>> opened;
  opened.reserve(texts.size());
  for (const SealedText& text : texts) {
    if (text.sealed.starts_with(kUnsealed)) {
      opened.emplace_back(text.sealed.substr(kUnsealed.size()));
      continue;
    }
    const std::optional<SubjectKey>& key = keys[text.author];
    if (!key) {
      opened.emplace_back(std::nullopt);
      continue;
    }
    core::Result<std::optional<std::string>> plaintext = open_under(*key, text);
    if (!plaintext) return plaintext.error();
    opened.emplace_back(std::move(*plaintext));
  }
  return opened;
}

core::Status SubjectCipher::destroy(const core::AccountId& author) {
  // Also when the port fails: whether it acted is then unknown, and a key can be read again.
  core::Status destroyed = keys_.destroy(author);
  cache_->evict(author);
  return destroyed;
}

}  // namespace tideline::crypto
