// Token buckets, one for each key: how often something may be done at once, and then per minute.
// Bounded: above `buckets_max` the bucket that was asked longest ago is forgotten, and with it its
// count. Thread-safe; never blocks longer than for a short lock.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/clock.hpp"

namespace tideline::core {

struct BucketLimit {
  double burst = 10;       // at once
  double per_minute = 10;  // refilled
};

class TokenBuckets {
 public:
  TokenBuckets(BucketLimit limit, std::size_t buckets_max)
      : limit_(limit), buckets_max_(buckets_max) {}

  // nullopt: taken. Else how long until there is a token again.
  std::optional<std::chrono::milliseconds> take(const std::string& key, Timestamp now);
  void give_back(const std::string& key);
  // Of the keys that are remembered: whether it was marked.
  void mark(const std::string& key);
  bool is_marked(const std::string& key) const;
  std::size_t size() const;

 private:
  struct Bucket {
    double tokens;
    Timestamp as_of;
    std::list<std::string>::iterator place;
    bool marked = false;
  };

  Bucket& bucket_of(const std::string& key, Timestamp now);

  const BucketLimit limit_;
  const std::size_t buckets_max_;
  mutable std::mutex mutex_;
  std::list<std::string> by_age_;  // asked last at the front
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace tideline::core
