#include "core/latch.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace tideline::core {
namespace {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

// As futex(2) has it: steady_clock is the kernel's CLOCK_MONOTONIC, and the time is absolute.
std::timespec kernel_time(std::chrono::steady_clock::time_point time) {
  const auto since_boot = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
  return {seconds.count(), std::chrono::nanoseconds(since_boot - seconds).count()};
}

}  // namespace

void Latch::open() {
  open_.store(1, std::memory_order_release);
  syscall(SYS_futex, &open_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

bool Latch::wait_until(std::chrono::steady_clock::time_point deadline) const {
  const std::timespec until = kernel_time(deadline);
  while (!is_open()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    // Returns early when it was opened meanwhile, when a signal came, and at the deadline.
    syscall(SYS_futex, &open_, FUTEX_WAIT_BITSET_PRIVATE, 0, &until, nullptr,
            FUTEX_BITSET_MATCH_ANY);
  }
  return true;
}

}  // namespace tideline::core
