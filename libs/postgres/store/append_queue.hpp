// Appends that wait for the appender thread, gathered into batches. Thread-safe; bounded in number.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/latch.hpp"
#include "core/result.hpp"
#include "eventsourcing/store/event_store.hpp"

namespace tideline::postgres {

using AppendResult = core::Result<eventsourcing::AppendOutcome>;

struct WaitingAppend {
  eventsourcing::Append append;
  std::size_t bytes = 0;
  std::chrono::steady_clock::time_point deadline;  // to be taken by
  eventsourcing::AppendDone done;                  // empty: the caller waits for the latch
  bool withdrawn = false;
  std::optional<AppendResult> outcome;  // set before the batch's latch opens
};

// What is committed together and answered together. Until it is taken only the queue touches it,
// then only the appender, and once `decided` is open each caller its own append.
struct WaitingBatch {
  std::vector<WaitingAppend> appends;
  std::size_t bytes = 0;
  core::Latch decided;
};

// Where a caller's append waits.
struct QueuePlace {
  std::shared_ptr<WaitingBatch> batch;
  std::size_t index = 0;

  WaitingAppend& append() const { return batch->appends[index]; }
};

struct AppendQueueLimits {
  std::size_t queued_appends_max;
  std::size_t batch_appends_max;
  std::size_t batch_bytes_max;  // an append that is larger by itself is a batch of its own
};

class AppendQueue {
 public:
  explicit AppendQueue(AppendQueueLimits limits) : limits_(limits) {}

  // nullopt when the queue is full or closed; nothing has been moved from then.
  std::optional<QueuePlace> push(WaitingAppend&& append);
  // False when the appender has taken it already. Otherwise it is never appended.
  bool withdraw(const QueuePlace& place);
  // The oldest batch; nullptr when the time is over or the queue is closed and empty.
  std::shared_ptr<WaitingBatch> take(std::chrono::milliseconds timeout);
  // What waits may still be taken, nothing more is let in.
  void close();
  // Closed and empty.
  bool finished() const;
  std::size_t size() const;

 private:
  WaitingBatch& batch_with_room_for(std::size_t bytes);

  const AppendQueueLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable pushed_;
  std::deque<std::shared_ptr<WaitingBatch>> batches_;  // none is empty
  std::size_t waiting_ = 0;                            // appends in them
  std::size_t wanted_ = 1;                             // the appender is woken when so many wait
  std::size_t taken_last_ = 0;
  bool closed_ = false;
};

}  // namespace tideline::postgres
