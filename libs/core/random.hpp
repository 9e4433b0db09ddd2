// Randomness as a port. Only the edge draws; domains are given ids with the command.
#pragma once

#include <cstdint>
#include <mutex>
#include <random>
#include <span>

namespace tideline::core {

// Thread-safe.
class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<std::uint8_t> bytes) = 0;

  std::uint64_t next_u64();
};

// The kernel's generator, fit for secrets. Blocks only before the machine has gathered entropy.
// Draws ahead for each thread, so a process that forks must not use it on both sides.
class SystemRandom final : public Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override;
};

// The same bytes for the same seed: tests and demos, never secrets.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}
  void fill(std::span<std::uint8_t> bytes) override;

 private:
  std::mutex mutex_;
  std::mt19937_64 engine_;
};

}  // namespace tideline::core
