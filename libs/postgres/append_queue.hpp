// Appends that wait for the appender thread. Thread-safe; bounded in number.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "eventsourcing/event_store.hpp"

namespace tideline::postgres {

using AppendResult = core::Result<eventsourcing::AppendOutcome>;

// What one thread waits for and another one sets, once. A std::future would do, at twice the system
// calls, and appending spends most of its time there.
class PendingOutcome {
 public:
  void set(AppendResult outcome) {
    outcome_ = std::move(outcome);
    there_.release();
  }
  // nullptr after `timeout`.
  AppendResult* wait_for(std::chrono::milliseconds timeout) {
    return there_.try_acquire_for(timeout) ? &*outcome_ : nullptr;
  }

 private:
  std::optional<AppendResult> outcome_;
  std::binary_semaphore there_{0};
};

struct WaitingAppend {
  eventsourcing::Append append;
  std::size_t bytes = 0;
  PendingOutcome outcome;
};
using WaitingAppendPointer = std::shared_ptr<WaitingAppend>;

class AppendQueue {
 public:
  explicit AppendQueue(std::size_t appends_max) : appends_max_(appends_max) {}

  // False when the queue is full or closed.
  bool push(const WaitingAppendPointer& append);
  // False when the appender has taken it already.
  bool withdraw(const WaitingAppendPointer& append);
  // The oldest ones, at least one unless the time is over or the queue is closed and empty.
  std::vector<WaitingAppendPointer> take(std::size_t appends_max, std::size_t bytes_max,
                                         std::chrono::milliseconds timeout);
  // What waits may still be taken, nothing more is let in.
  void close();
  // Closed and empty.
  bool finished() const;
  std::size_t size() const;

 private:
  const std::size_t appends_max_;
  mutable std::mutex mutex_;
  std::condition_variable pushed_;
  std::deque<WaitingAppendPointer> waiting_;
  std::size_t wanted_ = 1;  // the appender is woken when so many wait
  std::size_t taken_last_ = 0;
  bool closed_ = false;
};

}  // namespace tideline::postgres
