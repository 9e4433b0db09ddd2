#include "eventsourcing/topics/applied_positions.hpp"

#include <algorithm>
#include <utility>

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
  const auto entry = waiters_.insert(waiters_.end(), Waiter{&wanted, nullptr});
  ++waiting_;
  const bool reached = changed_.wait_for(lock, timeout, [&] { return covers(positions_, wanted); });
  waiters_.erase(entry);
  --waiting_;
  return reached;
}

bool AppliedPositions::covers(const PositionVector& wanted) const {
  const std::lock_guard lock(mutex_);
  return covers(positions_, wanted);
}

std::optional<AppliedPositions::Waiting> AppliedPositions::call_when(const PositionVector& wanted,
                                                                     std::function<void()> then) {
  const std::lock_guard lock(mutex_);
  if (covers(positions_, wanted)) return std::nullopt;
  auto own = std::make_unique<const PositionVector>(wanted);
  const PositionVector* const same = own.get();
  waiters_.push_back({same, std::move(own), std::move(then), ++next_waiting_});
  ++waiting_;
  return next_waiting_;
}

void AppliedPositions::forget(Waiting waiting) {
  const std::lock_guard lock(mutex_);
  waiting_ -= static_cast<int>(
      std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.number == waiting; }));
}

std::vector<std::function<void()>> AppliedPositions::take_reached() {
  std::vector<std::function<void()>> reached;
  for (auto waiter = waiters_.begin(); waiter != waiters_.end();) {
    if (!waiter->then || !covers(positions_, *waiter->wanted)) {
      ++waiter;
      continue;
    }
    reached.push_back(std::move(waiter->then));
    waiter = waiters_.erase(waiter);
    --waiting_;
  }
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
                     [&](const Waiter& waiter) { return covers(in_memory, *waiter.wanted); });
}

void AppliedPositions::reset(const std::vector<std::string>& services,
                             const PositionVector& positions) {
  std::vector<std::function<void()>> reached;
  {
    const std::lock_guard lock(mutex_);
    services_ = services;
    positions_ = positions;
    reached = take_reached();
  }
  changed_.notify_all();
  for (const auto& then : reached) then();
}

void AppliedPositions::advance(const PositionVector& positions) {
  std::vector<std::function<void()>> reached;
  {
    const std::lock_guard lock(mutex_);
    positions_.join(positions);
    if (!waiters_.empty()) reached = take_reached();
  }
  changed_.notify_all();
  for (const auto& then : reached) then();
}

}  // namespace tideline::eventsourcing
