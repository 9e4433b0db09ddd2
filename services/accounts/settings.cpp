#include "accounts/settings.hpp"

namespace tideline::accounts {

Settings Settings::read(core::Config& config) {
  Settings settings;
  settings.signing_key = config.text("TIDELINE_JWT_SIGNING_KEY");
  settings.public_keys = config.text("TIDELINE_JWT_PUBLIC_KEYS");
  // It made an operator of whoever registered such a name first.
  if (!config.list("TIDELINE_OPERATORS", {}).empty()) {
    config.add_error("TIDELINE_OPERATORS",
                     "is no setting any more: tideline-accounts roles give operator USER_ID");
  }
  settings.access_token_lifetime = std::chrono::seconds(config.integer(
      "TIDELINE_ACCESS_TOKEN_SECONDS", settings.access_token_lifetime.count(), 60, 86'400));
  settings.session_lifetime = std::chrono::days(
      config.integer("TIDELINE_SESSION_DAYS", settings.session_lifetime.count(), 1, 365));
  settings.password_hashes_max =
      config.integer("TIDELINE_PASSWORD_HASHES_MAX", settings.password_hashes_max, 0, 256);
  settings.passwords_waiting_max =
      config.integer("TIDELINE_PASSWORDS_WAITING_MAX", settings.passwords_waiting_max, 1, 100'000);
  settings.password_wait = config.duration_ms("TIDELINE_PASSWORD_WAIT_MS", settings.password_wait);
  settings.attempts_per_account_anywhere = config.integer(
      "TIDELINE_ATTEMPTS_PER_ACCOUNT_ANYWHERE", settings.attempts_per_account_anywhere, 1, 100'000);
  settings.attempts_per_account =
      config.integer("TIDELINE_ATTEMPTS_PER_ACCOUNT", settings.attempts_per_account, 1, 10'000);
  settings.attempts_per_source =
      config.integer("TIDELINE_ATTEMPTS_PER_SOURCE", settings.attempts_per_source, 1, 1'000'000);
  settings.registrations_per_source = config.integer(
      "TIDELINE_REGISTRATIONS_PER_SOURCE", settings.registrations_per_source, 1, 1'000'000);
  settings.visits_queued_max = config.integer("TIDELINE_PROFILE_VISITS_QUEUED_MAX",
                                              settings.visits_queued_max, 1, 1'000'000);
  return settings;
}

}  // namespace tideline::accounts
