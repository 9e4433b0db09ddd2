#include "core/random.hpp"

#include <sys/random.h>

#include <array>
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

void SystemRandom::fill(std::span<std::uint8_t> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = getrandom(bytes.data() + done, bytes.size() - done, 0);
    CHECK(got > 0 || errno == EINTR, "the kernel gives no random bytes");
    if (got > 0) done += static_cast<std::size_t>(got);
  }
}

void SeededRandom::fill(std::span<std::uint8_t> bytes) {
  const std::lock_guard lock(mutex_);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(engine_());
}

}  // namespace tideline::core
