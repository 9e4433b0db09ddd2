// Whether the engine may answer: an instance that has lost touch with the topics answers 503 rather
// than with visibility of some time ago.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "eventsourcing/projections/runner_status.hpp"

namespace tideline::feed {

// Thread-safe, never blocks for long.
class Freshness {
 public:
  struct Ports {
    std::function<eventsourcing::RunnerStatus()> status;  // of the engine's runner
    std::function<bool()> is_rebuilding;                  // FeedEngine::is_rebuilding
    // Told when it begins and ends to refuse; may be empty.
    std::function<void(std::string_view level, const std::string&)> log{};
  };

  // What the engine shows may be of so long ago at most: whether the topics do not answer, a
  // position is missing, the runner hangs, or there is too much to do.
  Freshness(Ports ports, std::chrono::milliseconds allowance)
      : ports_(std::move(ports)), allowance_(allowance) {}

  // Until when what is read now may be shown, by core::time_since_boot(); nullopt: not at all.
  std::optional<std::chrono::nanoseconds> fresh_until() const;
  bool is_fresh() const { return fresh_until().has_value(); }

 private:
  std::optional<std::chrono::milliseconds> behind() const;

  const Ports ports_;
  const std::chrono::milliseconds allowance_;
  mutable std::atomic<bool> refuses_{true};
};

}  // namespace tideline::feed
