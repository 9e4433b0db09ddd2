// Whether the engine may answer: an instance that has lost touch with the topics answers 503 rather
// than with visibility of some time ago.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>

#include "core/clock.hpp"
#include "eventsourcing/projection_runner.hpp"

namespace tideline::feed {

// Thread-safe, never blocks for long.
class Freshness {
 public:
  struct Ports {
    std::function<eventsourcing::RunnerStatus()> status;  // of the engine's runner
    std::function<bool()> is_rebuilding;                  // FeedEngine::is_rebuilding
    const core::Clock& clock;
  };

  // Problems of the runner (no answer from the topics, a missing position) may last so long.
  Freshness(Ports ports, std::chrono::milliseconds allowance)
      : ports_(std::move(ports)), allowance_(allowance) {}

  bool is_fresh();

 private:
  const Ports ports_;
  const std::chrono::milliseconds allowance_;
  std::mutex mutex_;
  std::optional<core::Timestamp> sound_at_;
};

}  // namespace tideline::feed
