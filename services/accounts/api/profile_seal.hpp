// Profiles that lie sealed under their owners' keys in events and tables. Thread-safe; blocks on
// the database that holds the keys.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accounts/domain/account.hpp"
#include "accounts/projections/profile_feed.hpp"
#include "core/result.hpp"
#include "crypto/subject_cipher.hpp"

namespace tideline::accounts {

class ProfileSeal final : public ProfileKeys {
 public:
  // `cipher` must outlive it.
  explicit ProfileSeal(crypto::SubjectCipher& cipher) : cipher_(cipher) {}

  // What codecs seal and open with.
  crypto::SubjectCipher& cipher() { return cipher_; }

  // nullopt: erased. Internal for a text that opens but holds no profile.
  core::Result<std::optional<Profile>> open(const core::AccountId& account,
                                            std::string_view sealed);

  core::Result<std::vector<std::optional<PublicProfile>>> open_public(
      std::span<const SealedProfile> profiles) override;
  core::Status erase(const core::AccountId& account) override;

 private:
  crypto::SubjectCipher& cipher_;
};

}  // namespace tideline::accounts
