// Profiles under their owners' keys: JSON of all fields, sealed as one text. Thread-safe; blocks on
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
  // Of the cipher: part of the data format. One for all events that carry a profile, so that read
  // models need not remember which of them a text came from.
  static constexpr std::string_view kContext = "Account.profile";

  // `cipher` must outlive it.
  explicit ProfileSeal(crypto::SubjectCipher& cipher) : cipher_(cipher) {}

  // Conflict once the key has been destroyed.
  core::Result<std::string> seal(const core::AccountId& account, const Profile& profile);
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
