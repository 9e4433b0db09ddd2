// One password against the account as it is folded. A command's body may run several times: the
// hash is computed again only when the account has another one by then. One thread; blocks for the
// hasher.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "accounts/domain/account.hpp"
#include "core/result.hpp"
#include "crypto/password_hash.hpp"

namespace tideline::accounts {

class PasswordCheck {
 public:
  // Both must outlive it.
  PasswordCheck(crypto::PasswordHasher& hasher, std::string_view password)
      : hasher_(hasher), password_(password) {}

  // False for an account that is not there or closed, after the same time as for a wrong password.
  core::Result<bool> matches(const Account::State& state) {
    const std::string hash = state.open() ? state.password_hash : std::string();
    if (checked_hash_ == hash) return matched_;
    auto matched =
        hash.empty() ? hasher_.verify_absent(password_) : hasher_.verify(password_, hash);
    if (!matched) return matched;
    checked_hash_ = hash;
    matched_ = *matched;
    return matched_;
  }

 private:
  crypto::PasswordHasher& hasher_;
  std::string_view password_;
  std::optional<std::string> checked_hash_;
  bool matched_ = false;
};

}  // namespace tideline::accounts
