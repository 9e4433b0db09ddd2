#include "feed/projections/snapshot/snapshot_take.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace tideline::feed {
namespace {

using eventsourcing::ProjectionRunner;

constexpr std::chrono::milliseconds kLook{20};

// False: stop was requested before.
bool run_until_caught_up(ProjectionRunner& runner, const std::stop_token& stop) {
  const std::jthread thread([&](const std::stop_token& done) { runner.run(done); });
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  while (!runner.status().caught_up_once) {
    stopped.wait_for(lock, stop, kLook, [] { return false; });
    if (stop.stop_requested()) return false;
  }
  return true;
}

}  // namespace

core::Result<std::optional<TakenFeed>> take_snapshot(const SnapshotStart& start,
                                                     eventsourcing::RunnerPorts topics,
                                                     const core::Clock& clock, std::size_t kept,
                                                     const std::stop_token& stop) {
  FeedEngineOptions options;
  options.restore = [&] { return restore_newest(start); };
  FeedEngine engine(std::move(options));
  engine.keep({});
  ProjectionRunner runner(engine, std::move(topics), start.own.logs());
  engine.watch(runner.applied());
  if (!run_until_caught_up(runner, stop)) return std::optional<TakenFeed>();
  if (runner.status().parked > 0) return core::internal_error("an event could not be applied");

  SnapshotOrigin origin{clock.now(), runner.places(), {}};
  auto last = last_events_at(start.own, origin.places);
  if (!last) return last.error();
  if (last->empty()) return std::optional<TakenFeed>();
  origin.last_own = *std::move(last);
  const std::filesystem::path file = start.folder.file_of(origin.taken_at);
  if (const auto written = write_snapshot(file, origin, engine); !written) return written.error();
  start.folder.forget_others(kept);
  const auto size = engine.size();
  return std::optional(TakenFeed{file, size.people, size.moments});
}

}  // namespace tideline::feed
