#include "eventsourcing/topics/applied_positions.hpp"

#include <algorithm>

namespace tideline::eventsourcing {

bool AppliedPositions::covers(const PositionVector& positions, const PositionVector& wanted) const {
  for (const auto& [service, logs] : wanted.services()) {
    if (std::find(services_.begin(), services_.end(), service) == services_.end()) continue;
    for (const auto& [log, position] : logs) {
      if (positions.at(service, log) < position) return false;
    }
  }
  return true;
}

bool AppliedPositions::wait_for(const PositionVector& wanted, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  if (covers(positions_, wanted)) return true;
  const auto entry = waiters_.insert(waiters_.end(), &wanted);
  ++waiting_;
  const bool reached = changed_.wait_for(lock, timeout, [&] { return covers(positions_, wanted); });
  waiters_.erase(entry);
  --waiting_;
  return reached;
}

PositionVector AppliedPositions::current() const {
  const std::lock_guard lock(mutex_);
  return positions_;
}

bool AppliedPositions::flush_wanted(const PositionVector& in_memory) const {
  if (!anybody_waits()) return false;
  const std::lock_guard lock(mutex_);
  return std::any_of(waiters_.begin(), waiters_.end(),
                     [&](const PositionVector* wanted) { return covers(in_memory, *wanted); });
}

void AppliedPositions::reset(const std::vector<std::string>& services,
                             const PositionVector& positions) {
  {
    const std::lock_guard lock(mutex_);
    services_ = services;
    positions_ = positions;
  }
  changed_.notify_all();
}

void AppliedPositions::advance(const PositionVector& positions) {
  {
    const std::lock_guard lock(mutex_);
    positions_.join(positions);
  }
  changed_.notify_all();
}

}  // namespace tideline::eventsourcing
