// Access tokens: JWT signed with ES256 (RFC 7519, RFC 7515, RFC 7518).
//
// Header {"alg":"ES256","kid":...,"typ":"JWT"}; claims iss, aud, sub (account id, 26 characters),
// roles, sid (session id), pv (how often a password had been set), iat, exp. Accounts signs with
// one private key; every service verifies by itself with the public keys of a folder, one file
// `<kid>.pem` each. Rotation: put the new public key into the folders, then sign with the new
// private key, and take the old public key away when the last token under it has expired.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"

namespace tideline::crypto {

struct TokenClaims {
  std::string issuer = "tideline";
  std::string audience = "tideline";
};

// For whom a token is signed.
struct TokenSubject {
  core::AccountId account;
  std::vector<std::string> roles{};
  // What it stands and falls with; empty and 0 in tokens without these claims.
  std::string session_id{};
  std::uint32_t password_version = 0;
};

struct SignedToken {
  std::string token;
  core::Timestamp expires_at;  // whole seconds, as the token says it
};

struct VerifiedToken {
  TokenSubject subject;
  core::Timestamp expires_at;

  bool has_role(std::string_view role) const;
};

struct TokenSignerOptions {
  TokenClaims claims;
  std::chrono::seconds lifetime{15 * 60};
};

// Thread-safe; never blocks after load().
class TokenSigner {
 public:
  // `path` is an unencrypted PEM file with an EC P-256 private key; its stem is the kid.
  // NotFound: no readable file; InvalidInput: another kind of key or a kid that is no plain name.
  static core::Result<TokenSigner> load(const std::filesystem::path& path,
                                        TokenSignerOptions options = {});

  TokenSigner(TokenSigner&&) noexcept;
  TokenSigner& operator=(TokenSigner&&) noexcept;
  ~TokenSigner();

  core::Result<SignedToken> sign(const TokenSubject& subject, core::Timestamp now) const;

  const std::string& key_id() const;

 private:
  struct State;
  explicit TokenSigner(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

struct TokenVerifierOptions {
  TokenClaims claims;
  // How far another machine's clock may be ahead of ours (iat, nbf). Expiry has no leeway.
  std::chrono::seconds leeway{30};
  // A kid that is not known makes the verifier read the folder again, but not more often than this.
  std::chrono::seconds reread_interval{10};
  // A folder that has not been read for this long is read anyway: keys can also be taken away.
  std::chrono::seconds refresh_interval{60};
};

// Thread-safe. A verification costs a signature check (some 100 us); blocks only to read the
// folder. When the folder cannot be read again, the keys that were read last stay good.
class TokenVerifier {
 public:
  // Longer tokens are refused unread.
  static constexpr std::size_t kTokenBytesMax = 4096;

  // InvalidInput: a file of the folder is not an EC P-256 public key; NotFound: no such folder, or
  // no key in it.
  static core::Result<TokenVerifier> load(const std::filesystem::path& folder,
                                          TokenVerifierOptions options = {});

  TokenVerifier(TokenVerifier&&) noexcept;
  TokenVerifier& operator=(TokenVerifier&&) noexcept;
  ~TokenVerifier();

  // InvalidInput for every token that is not ours, whole, and valid at `now`: answer 401. The
  // message says why, for logs and for `error_description`; it repeats nothing of the token.
  core::Result<VerifiedToken> verify(std::string_view token, core::Timestamp now) const;

  // RFC 7517 key set of all public keys, ordered by kid, as JSON text.
  std::string jwks(core::Timestamp now) const;

 private:
  struct State;
  explicit TokenVerifier(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tideline::crypto
