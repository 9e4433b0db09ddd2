// The appender thread of one store: takes what waits in the queue, commits it as one transaction,
// tells every caller his own outcome.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "postgres/append_batch.hpp"
#include "postgres/append_queue.hpp"
#include "postgres/event_store.hpp"
#include "postgres/session.hpp"

namespace tideline::postgres {

class Appender {
 public:
  // All references outlive the appender. `committed` is called on its thread after each batch.
  Appender(const DatabaseOptions& database, const EventStoreOptions& options,
           const core::Clock& clock, core::Random& random, std::function<void()> committed);
  // Commits what waits, then stops.
  ~Appender();

  // Blocks until the outcome is known, at most options.append_deadline.
  AppendResult append(eventsourcing::Append append);
  AppenderStatus status() const;

 private:
  using Batch = std::span<const WaitingAppendPointer>;
  enum class Commit { Done, NotDone, Unknown };

  void run();
  void commit(Batch batch);
  core::Result<std::vector<eventsourcing::AppendOutcome>> try_commit(Batch batch);
  // Throws TransactionFailed. `writing` is filled once a commit may be under way.
  BatchPlan attempt(Appends appends, std::optional<BatchPlan>& writing);
  Commit resolve(const BatchPlan& plan);
  void committed(const BatchPlan& plan);
  Session& open_session();
  void sweep_expired_results();
  void count(const std::vector<eventsourcing::AppendOutcome>& outcomes);

  const DatabaseOptions& database_;
  const EventStoreOptions& options_;
  const core::Clock& clock_;
  core::Random& random_;
  const std::function<void()> committed_;
  const BatchTerms terms_;
  AppendQueue queue_;
  std::unique_ptr<Session> session_;  // of the thread alone
  std::chrono::steady_clock::time_point swept_at_;

  std::atomic<std::uint64_t> batches_{0};
  std::atomic<std::uint64_t> appends_{0};
  std::atomic<std::uint64_t> events_{0};
  std::atomic<std::uint64_t> conflicts_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<std::uint64_t> unresolved_{0};
  std::thread thread_;
};

}  // namespace tideline::postgres
