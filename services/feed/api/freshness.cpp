#include "feed/api/freshness.hpp"

#include "core/clock.hpp"

namespace tideline::feed {

std::optional<std::chrono::nanoseconds> Freshness::fresh_until() const {
  // Before the questions: whatever takes long is on the safe side.
  const auto now = core::time_since_boot();
  if (ports_.is_rebuilding()) return std::nullopt;
  const auto status = ports_.status();
  if (!status.caught_up_once || !status.behind || *status.behind > allowance_) return std::nullopt;
  return now + (allowance_ - *status.behind);
}

}  // namespace tideline::feed
