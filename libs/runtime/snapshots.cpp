#include "runtime/snapshots.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/composition.hpp"

namespace tideline::runtime {
namespace {

double seconds(std::chrono::duration<double> time) { return time.count(); }

void print(const TakenSnapshot& taken, double took) {
  nlohmann::json line{{"file", taken.file.string()},
                      {"bytes", std::filesystem::file_size(taken.file)},
                      {"seconds", took}};
  for (const auto& [what, count] : taken.counts) line[what] = count;
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

core::Status take_one(RunningService& service, const snapshots::SnapshotSettings& settings,
                      const TakeSnapshot& take, std::stop_token stop) {
  const auto lock = settings.folder.lock();
  if (!lock) return lock.error();
  const core::Timestamp begun = service.clock().now();
  const auto taken = take(service, begun, std::move(stop));
  if (!taken) return taken.error();
  if (*taken) {
    print(**taken, seconds(service.clock().now() - begun));
  } else {
    service.log("snapshot").info("nothing to take a snapshot of");
  }
  return core::success();
}

int take_snapshots(RunningService& service, const snapshots::SnapshotSettings& settings,
                   const TakeSnapshot& take, bool once, const std::stop_token& stop) {
  if (!settings.folder.is_there()) {
    std::fprintf(stderr, "%s is not set\n", settings.folder_key.c_str());
    return 1;
  }
  // The one that serves on this machine comes first; where that is not granted, it goes without.
  constexpr int kNiceness = 10;
  [[maybe_unused]] const int niceness = ::nice(kNiceness);
  std::mutex mutex;
  std::condition_variable_any stopped;
  while (true) {
    const auto taken = take_one(service, settings, take, stop);
    if (!taken) {
      service.log("snapshot").error("no snapshot", {{"reason", taken.error().message}});
    }
    if (once) return taken ? 0 : 1;
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, stop, settings.interval, [] { return false; });
    if (stop.stop_requested()) return 0;
  }
}

}  // namespace

Operation snapshot_operation(std::string summary, const snapshots::SnapshotSettings& settings,
                             TakeSnapshot take) {
  const auto declare = [&settings, take = std::move(take)](CLI::App& command) -> Operation::Run {
    const auto once = std::make_shared<bool>(false);
    command.add_flag("--once", *once, "a single one, instead of one in every interval");
    return [&settings, take, once](RunningService& service, const std::stop_token& stop) {
      return take_snapshots(service, settings, take, *once, stop);
    };
  };
  return {"snapshot", std::move(summary), declare};
}

void show_snapshots(ServiceContext& context, const std::string& prefix,
                    const snapshots::SnapshotFolder& folder) {
  auto& metrics = context.metrics();
  auto age = metrics.gauge(prefix + "_snapshot_age_seconds", "of the newest snapshot");
  auto bytes = metrics.gauge(prefix + "_snapshot_bytes", "of the newest snapshot");
  auto taken = metrics.gauge(prefix + "_snapshot_seconds",
                             "from the moment that the newest snapshot shows to its end");
  metrics.before_render([=, &clock = context.clock()] {
    const auto newest = folder.newest();
    if (!newest) return;
    age.set(seconds(clock.now() - newest->taken_at));
    bytes.set(static_cast<double>(newest->bytes));
    taken.set(seconds(newest->written_at - newest->taken_at));
  });
}

}  // namespace tideline::runtime
