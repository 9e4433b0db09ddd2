// A refresh token as text: "<session id>.<family secret><token secret>", 26 characters, a dot, and
// twice 43 of base64url (256 random bits each). Only hashes of the secrets are ever stored. Pure
// but for the randomness that is handed in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "accounts/domain/session.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"

namespace tideline::accounts {

class RefreshToken {
 public:
  static constexpr std::size_t kSecretLength = 43;
  static constexpr std::size_t kTextLength = 26 + 1 + 2 * kSecretLength;

  // The first token of a new session.
  static RefreshToken draw(core::Timestamp now, core::Random& random);
  // The next one of the same family.
  RefreshToken next(core::Random& random) const;
  // nullopt for what text() cannot have given.
  static std::optional<RefreshToken> parse(std::string_view text);

  std::string text() const { return session_id_ + "." + family_secret_ + token_secret_; }
  const std::string& session_id() const { return session_id_; }
  ShownToken hashes() const;

 private:
  RefreshToken(std::string session_id, std::string family_secret, std::string token_secret)
      : session_id_(std::move(session_id)),
        family_secret_(std::move(family_secret)),
        token_secret_(std::move(token_secret)) {}

  std::string session_id_;
  std::string family_secret_;
  std::string token_secret_;
};

}  // namespace tideline::accounts
