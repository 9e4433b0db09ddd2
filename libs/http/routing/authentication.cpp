#include "http/routing/authentication.hpp"

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/check.hpp"

namespace tideline::http {

namespace {

// A request's token is looked up where it stands.
struct TokenHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view token) const {
    return std::hash<std::string_view>{}(token);
  }
};

}  // namespace

struct CachingTokenVerifier::Shard {
  std::mutex mutex;
  std::unordered_map<std::string, VerifiedToken, TokenHash, std::equal_to<>> tokens;
  std::deque<std::string> order;  // as remembered: each key of `tokens` once
};

CachingTokenVerifier::CachingTokenVerifier(std::shared_ptr<TokenVerifier> inner,
                                           std::size_t capacity)
    : inner_(std::move(inner)),
      shard_capacity_((capacity + kShards - 1) / kShards),
      shards_(std::make_unique<Shard[]>(kShards)) {
  CHECK(inner_ != nullptr, "a cache needs a verifier");
  CHECK(capacity > 0, "a cache needs room");
}

CachingTokenVerifier::~CachingTokenVerifier() = default;

core::Result<VerifiedToken> CachingTokenVerifier::verify(std::string_view bearer,
                                                         core::Timestamp now) {
  Shard& shard = shards_[TokenHash{}(bearer) % kShards];
  {
    std::lock_guard lock(shard.mutex);
    const auto found = shard.tokens.find(bearer);
    if (found != shard.tokens.end()) {
      if (now < found->second.expires_at) return found->second;
      return core::invalid_input("the token has expired");
    }
  }
  // Outside the lock: two threads may verify one token at once, which is harmless.
  auto verified = inner_->verify(bearer, now);
  if (!verified || verified->expires_at <= now) return verified;
  std::lock_guard lock(shard.mutex);
  if (shard.tokens.try_emplace(std::string(bearer), *verified).second) {
    shard.order.emplace_back(bearer);
    if (shard.order.size() > shard_capacity_) {
      shard.tokens.erase(shard.order.front());
      shard.order.pop_front();
    }
  }
  return verified;
}

std::size_t CachingTokenVerifier::size() const {
  std::size_t total = 0;
  for (std::size_t i = 0; i < kShards; ++i) {
    std::lock_guard lock(shards_[i].mutex);
    total += shards_[i].tokens.size();
  }
  return total;
}

}  // namespace tideline::http
