#include "http/server/shares.hpp"

#include "core/check.hpp"

namespace tideline::http {

bool Shares::take(const std::string& holder) {
  const std::lock_guard lock(mutex_);
  const auto held = held_.find(holder);
  if (held == held_.end()) return share_ > 0 && held_.emplace(holder, 1).second;
  if (held->second >= share_) return false;
  ++held->second;
  return true;
}

void Shares::give_back(const std::string& holder) {
  const std::lock_guard lock(mutex_);
  const auto held = held_.find(holder);
  CHECK(held != held_.end(), "only what was taken can be given back");
  if (--held->second == 0) held_.erase(held);
}

}  // namespace tideline::http
