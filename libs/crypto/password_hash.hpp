// Password hashes: argon2id in its PHC text form ("$argon2id$v=19$m=19456,t=2,p=1$...").
//
// One hash takes tens of milliseconds of a core and `memory_bytes` of memory: by design, for us as
// for an attacker. So only `concurrent_max` run at once, and a caller waits for its turn no longer
// than `wait_max`; then it gets Unavailable (retryable), which the edge answers with 503.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace tideline::crypto {

struct PasswordHashOptions {
  std::size_t memory_bytes = std::size_t{19} * 1024 * 1024;
  unsigned passes = 2;
  unsigned concurrent_max = 0;  // 0 = one per core
  std::chrono::milliseconds wait_max{2000};
};

// Thread-safe. Every call blocks: call it from a thread that may.
class PasswordHasher {
 public:
  // Longer passwords are refused unread, so that no request can buy more work than another.
  static constexpr std::size_t kPasswordBytesMax = 1024;

  explicit PasswordHasher(PasswordHashOptions options = {});

  // A new salt each time: the same password never gives the same text. InvalidInput for a password
  // of more than kPasswordBytesMax bytes.
  core::Result<std::string> hash(std::string_view password);

  // False for a wrong password and for a text that is no hash.
  core::Result<bool> verify(std::string_view password, std::string_view hash);

  // Costs what verify() costs and answers false: sign-in calls it for a user that does not exist,
  // so that the time of an answer does not tell who is registered.
  core::Result<bool> verify_absent(std::string_view password);

  // True when `hash` was made with other options than now: hash again after the next sign-in.
  bool needs_rehash(std::string_view hash) const;

  // Hashes that run at this moment, never above the limit. For metrics.
  unsigned running() const;

 private:
  class Turn;

  core::Status take_turn();
  void give_turn_back();

  PasswordHashOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable turn_free_;
  unsigned running_ = 0;
};

}  // namespace tideline::crypto
