#include "accounts/api/attempt_limiter.hpp"

#include <algorithm>

namespace tideline::accounts {
namespace {

std::chrono::seconds in_seconds(std::chrono::milliseconds wait) {
  return std::max(std::chrono::ceil<std::chrono::seconds>(wait), std::chrono::seconds(1));
}

}  // namespace

std::optional<std::chrono::seconds> AttemptLimiter::begin(const std::string& account,
                                                          const std::string& source,
                                                          core::Timestamp now, Caller caller) {
  const std::string pair = pair_of(account, source);
  if (const auto wait = pairs_.take(pair, now)) return in_seconds(*wait);
  const auto wait_anywhere = accounts_.take(account, now);
  if (wait_anywhere && caller == Caller::Stranger && !pairs_.is_marked(pair)) {
    pairs_.give_back(pair);
    return in_seconds(*wait_anywhere);
  }
  if (const auto wait = sources_.take(source, now)) {
    pairs_.give_back(pair);
    if (!wait_anywhere) accounts_.give_back(account);
    return in_seconds(*wait);
  }
  return std::nullopt;
}

void AttemptLimiter::forgive(const std::string& account, const std::string& source) {
  pairs_.give_back(pair_of(account, source));
  accounts_.give_back(account);
  sources_.give_back(source);
}

void AttemptLimiter::trust(const std::string& account, const std::string& source) {
  pairs_.mark(pair_of(account, source));
}

std::optional<std::chrono::seconds> AttemptLimiter::begin_registration(const std::string& source,
                                                                       core::Timestamp now) {
  const auto wait = registrations_.take(source, now);
  if (!wait) return std::nullopt;
  return in_seconds(*wait);
}

void AttemptLimiter::forgive_registration(const std::string& source) {
  registrations_.give_back(source);
}

std::optional<std::chrono::seconds> AttemptLimiter::begin_mail(const std::string& source,
                                                               core::Timestamp now) {
  const auto wait = mails_.take(source, now);
  if (!wait) return std::nullopt;
  return in_seconds(*wait);
}

std::optional<std::chrono::seconds> AttemptLimiter::begin_code(const std::string& account,
                                                               core::Timestamp now) {
  const auto wait = codes_.take(account, now);
  if (!wait) return std::nullopt;
  return in_seconds(*wait);
}

void AttemptLimiter::forgive_code(const std::string& account) { codes_.give_back(account); }

}  // namespace tideline::accounts
