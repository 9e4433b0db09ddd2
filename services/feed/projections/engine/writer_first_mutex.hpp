// A reader-writer lock under which readers, however many, cannot keep the writer waiting: once he
// asks, new readers queue behind him. (std::shared_mutex of this platform prefers readers.)
// For std::unique_lock and std::shared_lock. Not recursive, not even for readers.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace tideline::feed {

class WriterFirstMutex {
 public:
  void lock() {
    const std::lock_guard turn(turn_);
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }
  void lock_shared() {
    const std::lock_guard turn(turn_);
    mutex_.lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }

 private:
  std::mutex turn_;
  std::shared_mutex mutex_;
};

}  // namespace tideline::feed
