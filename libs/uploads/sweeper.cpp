#include "uploads/sweeper.hpp"

#include <condition_variable>
#include <mutex>

namespace tideline::uploads {
namespace {

// An upload is held for a day before the event that names it, so this leaves a wide margin.
constexpr std::chrono::minutes kBehindMax{10};

bool is_current(const eventsourcing::RunnerStatus& status) {
  return status.caught_up_once && status.behind && *status.behind <= kBehindMax;
}

}  // namespace

void keep_swept(const SweeperPorts& ports, std::chrono::milliseconds interval,
                std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  for (;;) {
    {
      std::unique_lock lock(mutex);
      changed.wait_for(lock, stop, interval, [] { return false; });
    }
    if (stop.stop_requested()) return;
    if (is_current(ports.status())) ports.report(sweep(ports.database, ports.references));
  }
}

}  // namespace tideline::uploads
