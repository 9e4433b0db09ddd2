// How far a read model has got, for those who wait until it holds what they have seen.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "eventsourcing/events/position_vector.hpp"

namespace tideline::eventsourcing {

// What a query waits on. Thread-safe.
class AppliedPositions {
 public:
  // Blocks until everything of `wanted` that this model consumes is there, or the deadline passes.
  // Asks a durable model that has more in memory than in its tables to flush now.
  bool wait_for(const PositionVector& wanted, std::chrono::milliseconds timeout);
  PositionVector current() const;
  // True if somebody waits for what `in_memory` covers: a flush now would let it go on.
  bool flush_wanted(const PositionVector& in_memory) const;
  bool anybody_waits() const { return waiting_.load() > 0; }

  // By the runner: services that it consumes count even before their first event.
  void reset(const std::vector<std::string>& services, const PositionVector& positions);
  void advance(const PositionVector& positions);

 private:
  bool covers(const PositionVector& positions, const PositionVector& wanted) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> services_;
  PositionVector positions_;
  std::list<const PositionVector*> waiters_;
  std::atomic<int> waiting_{0};  // size of waiters_, readable without the mutex
};

}  // namespace tideline::eventsourcing
