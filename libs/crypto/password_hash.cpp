#include "crypto/password_hash.hpp"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <thread>

#include "core/check.hpp"
#include "crypto/sodium_ready.hpp"

namespace tideline::crypto {
namespace {

unsigned concurrent_max(const PasswordHashOptions& options) {
  if (options.concurrent_max > 0) return options.concurrent_max;
  return std::max(1U, std::thread::hardware_concurrency());
}

bool fits_phc(std::string_view hash) {
  // libsodium reads a C string: a text with a NUL inside would be read only up to it.
  return hash.size() < crypto_pwhash_STRBYTES && hash.find('\0') == std::string_view::npos &&
         hash.starts_with(crypto_pwhash_argon2id_STRPREFIX);
}

}  // namespace

class PasswordHasher::Turn {
 public:
  explicit Turn(PasswordHasher& hasher) : hasher_(hasher) {}
  ~Turn() { hasher_.give_turn_back(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  PasswordHasher& hasher_;
};

PasswordHasher::PasswordHasher(PasswordHashOptions options) : options_(options) {
  sodium_ready();
  options_.concurrent_max = concurrent_max(options_);
  CHECK(options_.memory_bytes >= crypto_pwhash_argon2id_MEMLIMIT_MIN, "too little for argon2id");
  CHECK(options_.passes >= crypto_pwhash_argon2id_OPSLIMIT_MIN, "argon2id needs a pass");
}

core::Status PasswordHasher::take_turn() {
  std::unique_lock lock(mutex_);
  const bool free = turn_free_.wait_for(lock, options_.wait_max,
                                        [&] { return running_ < options_.concurrent_max; });
  if (!free) return core::unavailable("too many password hashes are waiting");
  ++running_;
  return core::success();
}

void PasswordHasher::give_turn_back() {
  {
    const std::lock_guard lock(mutex_);
    --running_;
  }
  turn_free_.notify_one();
}

core::Result<std::string> PasswordHasher::hash(std::string_view password) {
  if (password.size() > kPasswordBytesMax) return core::invalid_input("the password is too long");
  if (const core::Status turn = take_turn(); !turn) return turn.error();
  const Turn held(*this);
  std::array<char, crypto_pwhash_STRBYTES> text{};
  const int failed =
      crypto_pwhash_str_alg(text.data(), password.data(), password.size(), options_.passes,
                            options_.memory_bytes, crypto_pwhash_ALG_ARGON2ID13);
  if (failed != 0) return core::unavailable("no memory for a password hash");
  return std::string(text.data());
}

core::Result<bool> PasswordHasher::verify(std::string_view password, std::string_view hash) {
  if (password.size() > kPasswordBytesMax || !fits_phc(hash)) return false;
  if (const core::Status turn = take_turn(); !turn) return turn.error();
  const Turn held(*this);
  const std::string text(hash);
  return crypto_pwhash_str_verify(text.c_str(), password.data(), password.size()) == 0;
}

core::Result<bool> PasswordHasher::verify_absent(std::string_view password) {
  if (password.size() > kPasswordBytesMax) return false;
  // The same computation as a verification: only the comparison at the end is missing.
  const core::Result<std::string> unused = hash(password);
  if (!unused) return unused.error();
  return false;
}

bool PasswordHasher::needs_rehash(std::string_view hash) const {
  if (!fits_phc(hash)) return true;
  const std::string text(hash);
  return crypto_pwhash_str_needs_rehash(text.c_str(), options_.passes, options_.memory_bytes) != 0;
}

unsigned PasswordHasher::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

}  // namespace tideline::crypto
