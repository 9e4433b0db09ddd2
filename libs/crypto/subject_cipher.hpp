// Personal text in events, sealed under its author's key: XChaCha20-Poly1305 with a random nonce,
// as "1." + base64url(nonce, ciphertext, tag).
//
// A context is what the text is, by convention event type and field: "CommentAdded.text". A text
// opens only for the author and the context that it was sealed for, so that none can be moved to
// another field. The context is part of the data format: never rename one.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "crypto/account_ids.hpp"
#include "crypto/subject_keys.hpp"
#include "eventsourcing/events/text_sealer.hpp"

namespace tideline::crypto {

struct SubjectCipherOptions {
  // Keys are kept in memory so that reading a page asks the database once, not per text. Some 100
  // bytes each.
  std::size_t cached_keys_max = 100'000;
  // How long another process may still read what has been erased here.
  std::chrono::seconds cached_key_ttl{30};
  // What index() is keyed by; without it index() must not be called.
  std::optional<AccountIds> indexed_by{};
};

using eventsourcing::SealedText;

// Thread-safe. Every call can block on the port that holds the keys. Errors: those of the port; and
// InvalidInput for what is no sealed text at all. One that does not open under its author's key is
// gone: the key that it was sealed under has been destroyed, or was lost with a database, and the
// author got another one since. Nobody could tell a damaged text from that.
class SubjectCipher final : public eventsourcing::TextSealer {
 public:
  // Both must outlive the cipher.
  SubjectCipher(SubjectKeys& keys, const core::Clock& clock, SubjectCipherOptions options = {});
  ~SubjectCipher() override;
  SubjectCipher(const SubjectCipher&) = delete;
  SubjectCipher& operator=(const SubjectCipher&) = delete;

  // Creates the author's key if need be. Conflict (not retryable) when it has been destroyed.
  core::Result<std::string> seal(const core::AccountId& author, std::string_view plaintext,
                                 std::string_view context) override;

  // nullopt: the key has been destroyed or lost, the text is gone.
  core::Result<std::optional<std::string>> open(const core::AccountId& author,
                                                std::string_view sealed,
                                                std::string_view context) override;

  // 26 characters: the first 128 bits of BLAKE2b under the secret of account ids.
  std::string index(std::string_view text, std::string_view context) const override;

  // A page at once: at most one question to the port. The answer at [i] belongs to texts[i]; one
  // that is no sealed text fails the call.
  core::Result<std::vector<std::optional<std::string>>> open_many(
      std::span<const SealedText> texts) override;

  // Destroys the key in the port and forgets it here at once.
  core::Status destroy(const core::AccountId& author);

 private:
  class KeyCache;

  SubjectKeys& keys_;
  std::optional<AccountIds> indexed_by_;
  std::unique_ptr<KeyCache> cache_;
};

}  // namespace tideline::crypto
