#include "accounts/api/profile_view_recorder.hpp"

#include <utility>

#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "eventsourcing/commands/once.hpp"

namespace tideline::accounts {

namespace es = eventsourcing;

void ProfileViewRecorder::offer(Visit visit) {
  if (visit.view.viewer == visit.view.owner) return;
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= queued_max_) {
      ++dropped_;
      return;
    }
    queue_.push_back(std::move(visit));
  }
  changed_.notify_one();
}

void ProfileViewRecorder::run(const std::stop_token& stop) {
  using Steady = std::chrono::steady_clock;
  std::optional<Steady::time_point> drain_until;
  while (auto visit = next(stop)) {
    if (stop.stop_requested() && !drain_until) drain_until = Steady::now() + kDrainMax;
    if (drain_until && Steady::now() > *drain_until) {
      ++dropped_;
      done(std::nullopt);
      continue;
    }
    if (record(*visit)) {
      done(std::nullopt);
    } else if (++visit->attempts < kAttemptsMax) {
      done(std::move(visit));
      pause(stop);
    } else {
      ++dropped_;
      done(std::nullopt);
    }
  }
}

std::optional<ProfileViewRecorder::Visit> ProfileViewRecorder::next(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [this] { return !queue_.empty(); });
  if (queue_.empty()) return std::nullopt;
  Visit visit = std::move(queue_.front());
  queue_.pop_front();
  ++in_flight_;
  return visit;
}

void ProfileViewRecorder::pause(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, kRetryPause, [] { return false; });
}

bool ProfileViewRecorder::record(const Visit& visit) {
  const es::CommandContext context{visit.at, visit.metadata, std::nullopt, std::nullopt};
  const auto stream = keys::profile_view(visit.view.viewer, visit.view.owner, visit.view.day);
  const auto outcome =
      es::run_command(store_, context, [&](es::CommandSession& session) -> es::CommandResult {
        es::record_once(session, stream, visit.view);
        return es::Answer{204, "", "", {}};
      });
  return outcome.ok();
}

void ProfileViewRecorder::done(std::optional<Visit> again) {
  {
    const std::lock_guard lock(mutex_);
    --in_flight_;
    if (again) queue_.push_back(std::move(*again));
  }
  changed_.notify_all();
}

std::size_t ProfileViewRecorder::queued() const {
  const std::lock_guard lock(mutex_);
  return queue_.size() + in_flight_;
}

bool ProfileViewRecorder::wait_until_idle(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [this] { return queue_.empty() && in_flight_ == 0; });
}

}  // namespace tideline::accounts
