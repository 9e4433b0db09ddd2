// Codes that go out by mail, and the mails that carry them. A code is made and not stored: what it
// is about is in what it is checked against, so that one for a reset is no good once the password
// is another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "accounts/api/attempt_limiter.hpp"
#include "accounts/domain/account.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "crypto/account_ids.hpp"
#include "crypto/codes.hpp"
#include "mail/mail_queue.hpp"

namespace tideline::accounts {

// Who may register.
struct SignUpPolicy {
  bool closed = false;  // only with a code
  std::vector<std::string>
      domains{};  // where a code goes to any address, lower-case; else only to listed ones
};

struct EmailOptions {
  std::optional<crypto::Codes> codes{};  // none: no code is made, and none is good
  mail::MailQueue* mails = nullptr;      // null: this installation sends no mail
  std::string link{};  // put before "<purpose>?code=..." for a page; "" = codes alone
};

// The keyed hash by which an address is known. Letters count the same in either case.
core::AccountId address_of(const crypto::AccountIds& ids, std::string_view email);
// Whether its domain is one of these.
bool is_in(std::string_view email, const std::vector<std::string>& domains);

// Thread-safe.
class EmailCodes {
 public:
  static constexpr std::chrono::hours kSignUpFor{24};
  static constexpr std::chrono::hours kVerificationFor{24};
  static constexpr std::chrono::hours kResetFor{1};

  EmailCodes(EmailOptions options, const core::Clock& clock)
      : options_(std::move(options)),
        clock_(clock),
        mails_for_(kMailsForOne, kBucketsMax),
        mails_to_(kMailsToAddress, kBucketsMax) {}

  bool sends_mail() const { return options_.mails != nullptr; }

  // Each mails a code. Nothing where the account has had three within the hour, the address ten, or
  // too many mails wait.
  void mail_sign_up(const std::string& email, const core::AccountId& account,
                    const core::AccountId& address);
  void mail_verification(const std::string& email, const core::AccountId& account,
                         const core::AccountId& address);
  void mail_reset(const VerifyEmail& to, const core::AccountId& account,
                  std::uint32_t password_version);
  // What an owner must hear of, who may not have done it. Nothing without a verified address.
  enum class Notice {
    PasswordChanged,
    SecondFactorSet,
    SecondFactorRemoved,
    AddressReplaced,
    RecoveryCodesDrawn,
    RecoveryCodeUsed
  };
  void tell(const std::optional<VerifyEmail>& to, Notice notice);
  // For who hands it out otherwise.
  std::string invitation(const core::AccountId& account, std::chrono::hours good_for) const;

  bool is_sign_up(std::string_view code, const core::AccountId& account,
                  const core::AccountId& address) const;
  bool is_invitation(std::string_view code, const core::AccountId& account) const;
  bool is_verification(std::string_view code, const core::AccountId& account,
                       const core::AccountId& address) const;
  bool is_reset(std::string_view code, const core::AccountId& account, const VerifyEmail& to,
                std::uint32_t password_version) const;

 private:
  // Of one purpose for one account; and to one address, wherever somebody else could have named it.
  static constexpr AttemptLimit kMailsForOne{3, 0.05};
  static constexpr AttemptLimit kMailsToAddress{10, 1.0 / 6};
  static constexpr std::size_t kBucketsMax = 100'000;

  struct Purpose;
  bool accepts(std::string_view code, const std::string& subject) const;
  void send(const Purpose& purpose, const std::string& email, const core::AccountId& address,
            const std::string& subject);

  const EmailOptions options_;
  const core::Clock& clock_;
  TokenBuckets mails_for_;
  TokenBuckets mails_to_;
};

}  // namespace tideline::accounts
