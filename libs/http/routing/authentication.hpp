// Who may call a route, and the port through which bearer tokens are verified.
//
// Threads: a TokenVerifier is called from all worker threads at once.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "http/messages/principal.hpp"

namespace tideline::http {

enum class Access {
  Public,    // no token is asked for, and one that comes along is not looked at
  SignedIn,  // a valid token; else 401
  // As SignedIn, or by a link that was signed for this path (signed_links.hpp): for what an <img>
  // loads. The principal is then who the link was made for, without roles and session.
  SignedInOrLink,
  Operator,   // a valid token with the role "operator"; else 401 or 403
  Moderator,  // the same with the role "moderator"
  // As SignedIn, also under a token that was revoked before it expires: for commands that revoke
  // their own token, can be repeated with their key, and ask for a secret besides it.
  RevokedToo,
};

struct VerifiedToken {
  Principal principal;
  core::Timestamp expires_at;  // the token's exp; from then on it is refused
};

class TokenVerifier {
 public:
  TokenVerifier() = default;
  virtual ~TokenVerifier() = default;
  TokenVerifier(const TokenVerifier&) = delete;
  TokenVerifier& operator=(const TokenVerifier&) = delete;

  // `bearer` is the token alone, as the client sent it. An error that is not retryable means "this
  // token is not good" (401); a retryable one means that nobody can tell now (503).
  virtual core::Result<VerifiedToken> verify(std::string_view bearer, core::Timestamp now) = 0;
};

// Remembers tokens that `inner` accepted until they expire: checking a signature costs some 100 us,
// looking up a token well below one. Refusals are not remembered.
//
// Bounded: above `capacity` the tokens remembered first are forgotten first (they are verified
// again when they return). A token that was remembered stays good until its expiry even when its
// key is removed from `inner`: tokens live 15 minutes.
class CachingTokenVerifier final : public TokenVerifier {
 public:
  explicit CachingTokenVerifier(std::shared_ptr<TokenVerifier> inner, std::size_t capacity = 65536);
  ~CachingTokenVerifier() override;

  core::Result<VerifiedToken> verify(std::string_view bearer, core::Timestamp now) override;

  [[nodiscard]] std::size_t size() const;

 private:
  struct Shard;
  static constexpr std::size_t kShards = 16;

  std::shared_ptr<TokenVerifier> inner_;
  std::size_t shard_capacity_;
  std::unique_ptr<Shard[]> shards_;
};

}  // namespace tideline::http
