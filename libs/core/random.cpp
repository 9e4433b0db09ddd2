#include "core/random.hpp"

#include <pthread.h>
#include <sys/random.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "core/check.hpp"

namespace tideline::core {

std::uint64_t Random::next_u64() {
  std::array<std::uint8_t, 8> bytes{};
  fill(bytes);
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

namespace {

void draw_from_kernel(std::span<std::uint8_t> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = getrandom(bytes.data() + done, bytes.size() - done, 0);
    CHECK(got > 0 || errno == EINTR, "the kernel gives no random bytes");
    if (got > 0) done += static_cast<std::size_t>(got);
  }
}

// Raised in the child of every fork, which must not draw what its parent will draw.
std::atomic<std::uint32_t> generation{0};
const int kWatchingForks = pthread_atfork(nullptr, nullptr, [] { ++generation; });

// A call of the kernel for many ids at once. What was given out is wiped, so that nothing that
// reads this memory later learns a secret that was made of it.
class Reserve {
 public:
  void fill(std::span<std::uint8_t> bytes) {
    if (bytes.size() > bytes_.size() || kWatchingForks != 0) return draw_from_kernel(bytes);
    if (bytes.size() > left_ || drawn_in_ != generation) {
      draw_from_kernel(bytes_);
      left_ = bytes_.size();
      drawn_in_ = generation;
    }
    left_ -= bytes.size();
    std::memcpy(bytes.data(), bytes_.data() + left_, bytes.size());
    explicit_bzero(bytes_.data() + left_, bytes.size());
  }

 private:
  std::array<std::uint8_t, 256> bytes_{};  // as many as the kernel gives in one piece
  std::size_t left_ = 0;
  std::uint32_t drawn_in_ = 0;
};

}  // namespace

void SystemRandom::fill(std::span<std::uint8_t> bytes) {
  thread_local Reserve reserve;
  reserve.fill(bytes);
}

void SeededRandom::fill(std::span<std::uint8_t> bytes) {
  const std::lock_guard lock(mutex_);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(engine_());
}

}  // namespace tideline::core
