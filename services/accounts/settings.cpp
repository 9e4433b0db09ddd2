#include "accounts/settings.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <string_view>

namespace tideline::accounts {

namespace {

// The first line.
std::string read_secret(const std::string& file, core::Config& config, std::string_view key) {
  std::ifstream lines(file);
  std::string line;
  if (!std::getline(lines, line) || line.empty()) config.add_error(key, "holds nothing");
  return line;
}

bool one_of(core::Config& config, std::string_view key, const std::string& is,
            const std::string& is_not) {
  const std::string value = config.text(key, is_not);
  if (value != is && value != is_not) {
    config.add_error(key, "is neither " + is + " nor " + is_not);
  }
  return value == is;
}

void read_smtp(core::Config& config, Settings& settings) {
  mail::SmtpOptions& smtp = settings.smtp;
  smtp.url = config.text("TIDELINE_SMTP_URL", "");
  smtp.from = config.text("TIDELINE_MAIL_FROM", "");
  smtp.user = config.text("TIDELINE_SMTP_USER", "");
  smtp.ca_file = config.text("TIDELINE_SMTP_CA_FILE", "");
  smtp.allow_clear = one_of(config, "TIDELINE_SMTP_TLS", "offered", "required");
  const std::string password_file = config.text("TIDELINE_SMTP_PASSWORD_FILE", "");
  if (!password_file.empty())
    smtp.password = read_secret(password_file, config, "TIDELINE_SMTP_PASSWORD_FILE");
  settings.mail_link = config.text("TIDELINE_MAIL_LINK", "");
  if (smtp.url.empty()) return;
  if (!smtp.url.starts_with("smtp://") && !smtp.url.starts_with("smtps://")) {
    config.add_error("TIDELINE_SMTP_URL", "must begin with smtp:// or smtps://");
  }
  if (smtp.from.find('@') == std::string::npos)
    config.add_error("TIDELINE_MAIL_FROM", "is no address");
  if (!settings.codes) config.add_error("TIDELINE_CODE_KEY_FILE", "is wanted for mails");
}

void read_sign_up(core::Config& config, Settings& settings) {
  const std::string key_file = config.text("TIDELINE_CODE_KEY_FILE", "");
  if (!key_file.empty()) {
    const auto key = crypto::KeyedHash::load(key_file);
    if (key) {
      settings.codes.emplace(*key);
    } else {
      config.add_error("TIDELINE_CODE_KEY_FILE", key.error().message);
    }
  }
  settings.sign_up_closed = one_of(config, "TIDELINE_SIGN_UP", "closed", "open");
  settings.sign_up_domains = config.list("TIDELINE_SIGN_UP_DOMAINS", {});
  for (std::string& domain : settings.sign_up_domains) {
    std::ranges::transform(domain, domain.begin(), [](unsigned char c) { return std::tolower(c); });
    if (domain.find('@') != std::string::npos) {
      config.add_error("TIDELINE_SIGN_UP_DOMAINS", "holds an address: " + domain);
    }
  }
  if (settings.sign_up_closed && key_file.empty()) {
    config.add_error("TIDELINE_CODE_KEY_FILE", "is wanted where sign-up is closed");
  }
}

}  // namespace

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
  settings.mails_per_source =
      config.integer("TIDELINE_MAILS_PER_SOURCE", settings.mails_per_source, 1, 1'000'000);
  settings.visits_queued_max = config.integer("TIDELINE_PROFILE_VISITS_QUEUED_MAX",
                                              settings.visits_queued_max, 1, 1'000'000);
  settings.operators_need_second_factor =
      !one_of(config, "TIDELINE_OPERATOR_SECOND_FACTOR", "offered", "required");
  read_sign_up(config, settings);
  read_smtp(config, settings);
  return settings;
}

}  // namespace tideline::accounts
