#include "feed/api/freshness.hpp"

namespace tideline::feed {

bool Freshness::is_fresh() {
  if (ports_.is_rebuilding()) return false;
  const auto status = ports_.status();
  if (!status.caught_up_once) return false;
  const core::Timestamp now = ports_.clock.now();
  const std::lock_guard lock(mutex_);
  if (status.last_problem.empty()) sound_at_ = now;
  return sound_at_ && now - *sound_at_ <= allowance_;
}

}  // namespace tideline::feed
