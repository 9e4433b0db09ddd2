// Commits the appends of one store that touch one database: each batch as one transaction of it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "postgres/connections/session.hpp"
#include "postgres/store/append_batch.hpp"
#include "postgres/store/append_statements.hpp"
#include "postgres/store/append_worker.hpp"
#include "postgres/store/event_store.hpp"

namespace tideline::postgres {

class Appender {
 public:
  // All references outlive the appender. `committed` is called on its thread after each batch.
  Appender(const DatabaseOptions& database, const EventStoreOptions& options,
           const core::Clock& clock, core::Random& random, std::function<void()> committed);

  // Blocks until the outcome is known, at most options.append_deadline.
  AppendResult append(eventsourcing::Append append) { return worker_.append(std::move(append)); }
  // Without blocking; see AppendWorker.
  void append_then(eventsourcing::Append append, eventsourcing::AppendDone done) {
    worker_.append_then(std::move(append), std::move(done));
  }
  AppenderStatus status() const;

 private:
  using Outcomes = std::vector<eventsourcing::AppendOutcome>;
  enum class Commit { Done, NotDone, Unknown };

  // What a commit may be under way for.
  struct Writing {
    BatchPlan plan;
    bool presumed;
  };

  core::Result<Outcomes> try_commit(Appends appends);
  // These throw TransactionFailed.
  Outcomes attempt(Appends appends, std::optional<Writing>& writing);
  Outcomes read_then_write(Appends appends, const BatchScope& scope,
                           std::optional<Writing>& writing);
  // False: it cannot be written without reading. Nothing has been sent then.
  bool write_at_once(Appends appends, const BatchScope& scope, std::optional<Writing>& writing);
  void remember_heads(const std::map<core::LogIndex, core::LogPosition>& heads);
  Commit resolve(const BatchPlan& plan);
  Session& open_session();
  Wake wakes();
  std::chrono::milliseconds tidy(bool idle);
  // True: there may be more, and the next call goes on.
  bool sweep_expired_results();

  const DatabaseOptions& database_;
  const EventStoreOptions& options_;
  const core::Clock& clock_;
  core::Random& random_;
  const BatchTerms terms_;
  // Of the worker's thread alone.
  std::unique_ptr<Session> session_;
  std::chrono::steady_clock::time_point swept_at_;
  std::chrono::steady_clock::time_point woken_at_;
  bool wake_owed_ = false;  // by a batch that woke nobody
  // Where the logs stood after this appender's last batch in each.
  std::map<core::LogIndex, core::LogPosition> heads_;
  // Nobody else was in the way of the last batch, so nobody is expected in that of the next.
  bool undisturbed_ = true;
  std::vector<int> lost_backends_;  // of connections that broke
  std::atomic<std::uint64_t> at_once_{0};
  AppendWorker worker_;  // last: its thread uses all of the above
};

}  // namespace tideline::postgres
