// Records visits of profiles beside the request: the visitor does not wait for the append. The
// queue is bounded; a visit that finds it full is dropped and counted, as is one that fails for
// long. A look at the own profile is no visit.
//
// offer() from any thread, never blocking; run() on as many threads as appends shall overlap.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>

#include "accounts/events.hpp"
#include "eventsourcing/commands/command.hpp"
#include "eventsourcing/store/event_store.hpp"

namespace tideline::accounts {

class ProfileViewRecorder {
 public:
  struct Visit {
    ProfileViewed view;
    core::Timestamp at;
    eventsourcing::Metadata metadata;
    int attempts = 0;
  };

  // `store` must outlive it.
  ProfileViewRecorder(eventsourcing::EventStore& store, std::size_t queued_max)
      : store_(store), queued_max_(queued_max) {}

  void offer(Visit visit);
  // Until stop is requested; then records what is queued, for at most kDrainMax.
  void run(const std::stop_token& stop);

  std::size_t queued() const;
  std::uint64_t dropped() const { return dropped_.load(); }
  // Waits until nothing is queued or in flight; false when the time is up.
  bool wait_until_idle(std::chrono::milliseconds timeout);

 private:
  static constexpr std::chrono::seconds kDrainMax{2};
  static constexpr std::chrono::milliseconds kRetryPause{200};
  static constexpr int kAttemptsMax = 5;

  std::optional<Visit> next(const std::stop_token& stop);
  void pause(const std::stop_token& stop);
  bool record(const Visit& visit);
  void done(std::optional<Visit> again);

  eventsourcing::EventStore& store_;
  const std::size_t queued_max_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Visit> queue_;
  std::size_t in_flight_ = 0;
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace tideline::accounts
