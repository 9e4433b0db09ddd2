// A reader-writer lock for reads of a few microseconds, of which there are very many more than
// writes. Readers of different threads write to different cache lines, so that they do not keep
// each other waiting for the one that counts them all (distributed reader counts, as in "big
// reader" locks); a writer looks at all of these lines. Readers, however many, cannot keep a writer
// waiting: once he asks, new ones queue behind him, as other writers do.
//
// For std::lock_guard, std::unique_lock and std::shared_lock; a lock is given back by the thread
// that took it. Not recursive, not even for readers.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "core/prefetch.hpp"

namespace tideline::feed {

class WriterFirstMutex {
 public:
  void lock() {
    const std::lock_guard turn(turn_);
    await(writer_);
    writer_ = 1;
    for (Readers& readers : readers_) await(readers.count);
  }
  void unlock() {
    writer_ = 0;
    writer_.notify_all();
  }

  // Who counts himself and then sees no writer is seen by the next one: in the one order of all
  // these steps, either his count comes before the writer's mark or he sees that.
  void lock_shared() {
    Readers& readers = mine();
    ++readers.count;
    if (writer_ == 0) return;
    unlock_shared();
    const std::lock_guard turn(turn_);
    await(writer_);
    ++readers.count;
  }
  void unlock_shared() {
    Readers& readers = mine();
    --readers.count;
    if (writer_ != 0) readers.count.notify_all();
  }

 private:
  static constexpr std::size_t kSlots = 16;

  struct alignas(core::kCacheLine) Readers {
    std::atomic<std::uint32_t> count{0};
  };

  // Blocks until it is 0.
  static void await(const std::atomic<std::uint32_t>& count) {
    for (std::uint32_t seen = count; seen != 0; seen = count) count.wait(seen);
  }
  // The same for a thread as long as it lives.
  Readers& mine() {
    static std::atomic<std::size_t> threads{0};
    thread_local const std::size_t slot = threads++ % kSlots;
    return readers_[slot];
  }

  std::mutex turn_;  // of who waits: for readers to end, or for a writer
  // 1: a writer is in, or waits for readers. Only writers change it.
  alignas(core::kCacheLine) std::atomic<std::uint32_t> writer_{0};
  std::array<Readers, kSlots> readers_;
};

}  // namespace tideline::feed
