// The thread behind an appender: takes what waits in its queue as batches, has each committed, and
// tells every caller its own outcome. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "postgres/store/append_batch.hpp"
#include "postgres/store/append_queue.hpp"
#include "postgres/store/event_store.hpp"

namespace tideline::postgres {

// Waits without anything to do go no further, so that an end of the process is noticed.
inline constexpr std::chrono::milliseconds kNothingToTidy{500};

class AppendWorker {
 public:
  // All are called on the worker's thread.
  struct Work {
    // The outcomes of all appends, or an Error that holds for all of them.
    std::function<core::Result<std::vector<eventsourcing::AppendOutcome>>(Appends)> commit;
    // After each batch that wrote something.
    std::function<void()> committed;
    // After each batch, and now and then while nothing waits: `idle`. Returns how soon it is to be
    // called again if nothing comes.
    std::function<std::chrono::milliseconds(bool idle)> tidy;
  };

  // `options` outlives the worker.
  AppendWorker(const EventStoreOptions& options, Work work);
  // Commits what waits, then stops.
  ~AppendWorker();
  AppendWorker(const AppendWorker&) = delete;
  AppendWorker& operator=(const AppendWorker&) = delete;

  // Blocks until the outcome is known, at most options.append_deadline.
  AppendResult append(eventsourcing::Append append);
  // Does not block. `done` is called on the worker's thread; if the append's turn has not come by
  // the deadline, as soon as it would have.
  void append_then(eventsourcing::Append append, eventsourcing::AppendDone done);
  AppenderStatus status() const;

 private:
  using Batch = std::span<WaitingAppend* const>;

  core::Result<WaitingAppend> checked(eventsourcing::Append append) const;
  void run();
  void decide(WaitingBatch& batch);
  void commit(Batch batch);
  void count(Batch batch, const std::vector<eventsourcing::AppendOutcome>& outcomes);

  const EventStoreOptions& options_;
  const Work work_;
  AppendQueue queue_;
  std::atomic<std::uint64_t> batches_{0};
  std::atomic<std::uint64_t> appends_{0};
  std::atomic<std::uint64_t> events_{0};
  std::atomic<std::uint64_t> conflicts_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<std::uint64_t> unresolved_{0};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace tideline::postgres
