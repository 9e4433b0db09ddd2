#include "projections/runner/catch_up.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace tideline::projections {
namespace {

constexpr std::chrono::milliseconds kStatusInterval{20};

// False: stop was requested before.
bool run_until_caught_up(ProjectionRunner& runner, const std::stop_token& stop) {
  const std::jthread thread([&](const std::stop_token& done) { runner.run(done); });
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  while (!runner.status().caught_up_once) {
    stopped.wait_for(lock, stop, kStatusInterval, [] { return false; });
    if (stop.stop_requested()) return false;
  }
  return true;
}

}  // namespace

core::Result<bool> catch_up(eventsourcing::Projection& projection, RunnerPorts ports,
                            std::uint32_t logs,
                            const std::function<void(eventsourcing::AppliedPositions&)>& begun,
                            const std::function<core::Status(eventsourcing::PartitionPlaces)>& then,
                            const std::stop_token& stop) {
  ProjectionRunner runner(projection, std::move(ports), logs);
  begun(runner.applied());
  if (!run_until_caught_up(runner, stop)) return false;
  if (runner.status().parked > 0) return core::internal_error("an event could not be applied");
  if (const auto done = then(runner.places()); !done) return done.error();
  return true;
}

}  // namespace tideline::projections
