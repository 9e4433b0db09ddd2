// Settings of accounts alone; those that all services share are in libs/runtime/settings.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "crypto/codes.hpp"
#include "mail/smtp_mailer.hpp"

namespace tideline::accounts {

struct Settings {
  // TIDELINE_JWT_SIGNING_KEY, required: PEM file with the EC P-256 private key that access tokens
  // are signed with; its name without ".pem" is the kid. The public key must lie in
  // TIDELINE_JWT_PUBLIC_KEYS of every service before.
  std::string signing_key;
  // TIDELINE_JWT_PUBLIC_KEYS: what /.well-known/jwks.json shows.
  std::string public_keys;
  // TIDELINE_ACCESS_TOKEN_SECONDS, 60 to 86,400: so long a token outlives a sign-out, a change of
  // password and the closing of its account.
  std::chrono::seconds access_token_lifetime{15 * 60};
  // TIDELINE_SESSION_DAYS, 1 to 365: from sign-in, however often it is refreshed.
  std::chrono::days session_lifetime{30};

  // TIDELINE_PASSWORD_HASHES_MAX, 0 to 256, 0 = one a core: hashes at once, 19 MiB and some tens of
  // milliseconds of a core each.
  std::int64_t password_hashes_max = 0;
  // TIDELINE_PASSWORD_WAIT_MS: how long a request waits for its turn to hash before it gets 503.
  std::chrono::milliseconds password_wait{2000};

  // TIDELINE_PASSWORDS_WAITING_MAX, 1 to 100,000: requests with a password that wait for workers of
  // their own, as many as hashes at once; one more gets 503.
  std::int64_t passwords_waiting_max = 100;

  // TIDELINE_ATTEMPTS_PER_ACCOUNT, 1 to 10,000: wrong passwords for one account at once from one
  // source address, and again as many a minute; then 429.
  std::int64_t attempts_per_account = 10;
  // TIDELINE_ATTEMPTS_PER_ACCOUNT_ANYWHERE, 1 to 100,000: the same from all addresses together, and
  // again a fifth of it a minute; not where the account has signed in before.
  std::int64_t attempts_per_account_anywhere = 100;
  // TIDELINE_ATTEMPTS_PER_SOURCE, 1 to 1,000,000: the same for one source address.
  std::int64_t attempts_per_source = 200;
  // TIDELINE_REGISTRATIONS_PER_SOURCE, 1 to 1,000,000: new accounts, and names that were taken, for
  // one source address at once, and again as many a minute; then 429.
  std::int64_t registrations_per_source = 600;
  // TIDELINE_MAILS_PER_SOURCE, 1 to 1,000,000: mails that one source address asks for without a
  // token at once, and again a third of it a minute; then 429.
  std::int64_t mails_per_source = 60;
  // TIDELINE_PROFILE_VISITS_QUEUED_MAX, 1 to 1,000,000: visits that wait to be recorded; one more
  // is dropped and counted.
  std::int64_t visits_queued_max = 8192;

  // TIDELINE_OPERATOR_SECOND_FACTOR, "required" or "offered": whether an operator without one is an
  // operator.
  bool operators_need_second_factor = true;
  // TIDELINE_SIGN_UP, "open" or "closed": who may register; closed = only with a code.
  bool sign_up_closed = false;
  // TIDELINE_SIGN_UP_DOMAINS, none: a code goes to whoever reads mail of one of these domains.
  std::vector<std::string> sign_up_domains;
  // TIDELINE_CODE_KEY_FILE: 64 hexadecimal characters, the key of codes. Wanted for mails and
  // closed sign-up.
  std::optional<crypto::Codes> codes;
  // TIDELINE_SMTP_URL, none = no mail is sent: smtp://host:port (with STARTTLS) or
  // smtps://host:port. TIDELINE_SMTP_TLS, "required" or "offered"; TIDELINE_SMTP_CA_FILE;
  // TIDELINE_SMTP_USER, TIDELINE_SMTP_PASSWORD_FILE; TIDELINE_MAIL_FROM: an address.
  mail::SmtpOptions smtp;
  // TIDELINE_MAIL_LINK, none: put before "sign-up?code=...", "verify-email?code=..." and
  // "reset-password?code=..." in mails, for pages of a client.
  std::string mail_link;

  // Mistakes go to `config`.
  static Settings read(core::Config& config);
};

}  // namespace tideline::accounts
