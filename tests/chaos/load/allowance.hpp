// How much of the load may be done by now. Anyone who injects the faults raises it step by step, so
// that the commands lie over all faults; what is asked for beyond it only trickles.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tideline::chaos {

// Thread-safe.
class Allowance {
 public:
  // Before each command. False: it is over.
  bool take() {
    std::unique_lock lock(mutex_);
    const auto free = [&] { return over_ || taken_ < allowed_; };
    if (!free()) changed_.wait_for(lock, kTrickle, free);
    if (over_) return false;
    ++taken_;
    return true;
  }

  void raise_to(std::uint64_t commands) {
    const std::lock_guard lock(mutex_);
    allowed_ = commands;
    changed_.notify_all();
  }

  bool is_over() const {
    const std::lock_guard lock(mutex_);
    return over_;
  }

  void end() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

 private:
  // Between two commands of one worker.
  static constexpr std::chrono::milliseconds kTrickle{250};

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t allowed_ = 0;
  std::uint64_t taken_ = 0;
  bool over_ = false;
};

}  // namespace tideline::chaos
