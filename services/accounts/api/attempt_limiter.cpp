#include "accounts/api/attempt_limiter.hpp"

#include <algorithm>
#include <cmath>

namespace tideline::accounts {
namespace {

std::chrono::seconds in_seconds(std::chrono::milliseconds wait) {
  return std::max(std::chrono::ceil<std::chrono::seconds>(wait), std::chrono::seconds(1));
}

}  // namespace

TokenBuckets::Bucket& TokenBuckets::bucket_of(const std::string& key, core::Timestamp now) {
  if (const auto found = buckets_.find(key); found != buckets_.end()) {
    by_age_.splice(by_age_.begin(), by_age_, found->second.place);
    return found->second;
  }
  if (buckets_.size() >= buckets_max_) {
    buckets_.erase(by_age_.back());
    by_age_.pop_back();
  }
  by_age_.push_front(key);
  return buckets_.emplace(key, Bucket{limit_.burst, now, by_age_.begin(), false}).first->second;
}

std::optional<std::chrono::milliseconds> TokenBuckets::take(const std::string& key,
                                                            core::Timestamp now) {
  const std::lock_guard lock(mutex_);
  Bucket& bucket = bucket_of(key, now);
  const std::chrono::duration<double, std::ratio<60>> minutes = now - bucket.as_of;
  // A clock that was set back refills nothing.
  bucket.tokens =
      std::min(limit_.burst, bucket.tokens + std::max(0.0, minutes.count()) * limit_.per_minute);
  bucket.as_of = std::max(bucket.as_of, now);
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return std::nullopt;
  }
  const double wait_ms = (1 - bucket.tokens) / limit_.per_minute * 60'000;
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(wait_ms)));
}

void TokenBuckets::give_back(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = buckets_.find(key);
  if (found == buckets_.end()) return;
  found->second.tokens = std::min(limit_.burst, found->second.tokens + 1);
}

void TokenBuckets::mark(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = buckets_.find(key);
  if (found != buckets_.end()) found->second.marked = true;
}

bool TokenBuckets::is_marked(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = buckets_.find(key);
  return found != buckets_.end() && found->second.marked;
}

std::size_t TokenBuckets::size() const {
  const std::lock_guard lock(mutex_);
  return buckets_.size();
}

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
