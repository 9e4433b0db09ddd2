// Opens once, for all that wait. As std::latch of one, but with a deadline, and fit for many
// threads that wait for one: opening is one system call however many they are, and waiting does not
// spin. (libstdc++'s waits yield the processor four times each before they sleep: with 64 threads
// that cost more than everything else that an append does in the process.) Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tideline::core {

class Latch {
 public:
  // What was written before is seen by everyone who was let through.
  void open();
  bool is_open() const { return open_.load(std::memory_order_acquire) != 0; }
  // False: the deadline came first.
  bool wait_until(std::chrono::steady_clock::time_point deadline) const;

 private:
  std::atomic<std::uint32_t> open_{0};  // the kernel's futex: 32 bits
};

}  // namespace tideline::core
