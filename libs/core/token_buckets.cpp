#include "core/token_buckets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ratio>

namespace tideline::core {

TokenBuckets::Bucket& TokenBuckets::bucket_of(const std::string& key, Timestamp now) {
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

std::optional<std::chrono::milliseconds> TokenBuckets::take(const std::string& key, Timestamp now) {
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

}  // namespace tideline::core
