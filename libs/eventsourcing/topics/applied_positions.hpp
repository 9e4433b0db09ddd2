// How far a read model has got, for those who wait until it holds what they have seen.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
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
  // Whether it is there now.
  bool covers(const PositionVector& wanted) const;

  using Waiting = std::uint64_t;
  // Calls `then` once, on the thread that brings it, when everything of `wanted` that this model
  // consumes is there. nullopt: it is there, and `then` is not called.
  std::optional<Waiting> call_when(const PositionVector& wanted, std::function<void()> then);
  // It is not called, unless it is being called already.
  void forget(Waiting waiting);

  PositionVector current() const;
  // True if somebody waits for what `in_memory` covers: a flush now would let it go on.
  bool flush_wanted(const PositionVector& in_memory) const;
  bool anybody_waits() const { return waiting_.load() > 0; }

  // By the runner: services that it consumes count even before their first event.
  void reset(const std::vector<std::string>& services, const PositionVector& positions);
  void advance(const PositionVector& positions);

 private:
  struct Waiter {
    const PositionVector* wanted;
    std::unique_ptr<const PositionVector> own;  // of who waits without a thread
    std::function<void()> then{};
    Waiting number = 0;
  };

  bool covers(const PositionVector& positions, const PositionVector& wanted) const;
  // Takes out what is there to be called.
  std::vector<std::function<void()>> take_reached();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> services_;
  PositionVector positions_;
  std::list<Waiter> waiters_;
  Waiting next_waiting_ = 0;
  std::atomic<int> waiting_{0};  // size of waiters_, readable without the mutex
};

}  // namespace tideline::eventsourcing
