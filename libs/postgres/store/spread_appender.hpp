// Commits the appends of one store that touch several databases: each batch as one transaction in
// each of them, all or none, by two-phase commit whose last resource decides.
//
//   lock and read in every database, in the order of their numbers; plan; then
//   PREPARE TRANSACTION in every database but the primary one, which gets the batch's first event;
//   COMMIT in the primary one: from here on the batch is committed, before it is not;
//   COMMIT PREPARED in the others.
//
// No coordinator keeps a journal: the name of a prepared transaction says which event of which log
// decides about it, and InDoubtAppends asks for that event when nobody else has finished.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "postgres/connections/log_databases.hpp"
#include "postgres/connections/session.hpp"
#include "postgres/store/append_worker.hpp"
#include "postgres/store/event_store.hpp"
#include "postgres/store/spread_batch.hpp"

namespace tideline::postgres {

class SpreadAppender {
 public:
  // All references outlive the appender. `committed` is called on its thread after each batch.
  SpreadAppender(const LogDatabases& databases, const EventStoreOptions& options,
                 core::Random& random, std::function<void()> committed);

  // Blocks until the outcome is known, at most options.append_deadline. When a database is lost
  // after the decision, its part may come to be seen later than this returns.
  AppendResult append(eventsourcing::Append append) { return worker_.append(std::move(append)); }
  // Without blocking; see AppendWorker.
  void append_then(eventsourcing::Append append, eventsourcing::AppendDone done) {
    worker_.append_then(std::move(append), std::move(done));
  }
  AppenderStatus status() const { return worker_.status(); }

 private:
  using Outcomes = std::vector<eventsourcing::AppendOutcome>;
  enum class Commit { Done, NotDone, Unknown };
  enum class End { Commit, RollBack };

  // What may have begun to be written.
  struct Writing {
    BatchPlan plan;
    std::map<std::size_t, BatchPlan> parts;
    std::size_t primary = 0;
    std::string gid;                 // "" where there is no event: each result is whole by itself
    std::set<std::size_t> prepared;  // perhaps
    bool deciding = false;           // a COMMIT may be under way
  };

  core::Result<Outcomes> try_commit(Appends appends);
  // These throw TransactionFailed.
  Outcomes attempt(Appends appends, std::optional<Writing>& writing);
  LockedState lock_and_read(const std::map<std::size_t, PartScope>& parts);
  void commit_with_events(Writing& writing);
  void commit_results(Writing& writing);
  Session& session(std::size_t database);

  // Ends what a failed attempt has left; nullopt if nothing of it is or will be there.
  std::optional<core::Result<Outcomes>> settle(Writing& writing, const core::Error& why);
  Commit resolve(const Writing& writing);
  bool finish(const Writing& writing, std::size_t database, End end);
  void commit_prepared(const Writing& writing);
  void roll_back_all();

  const LogDatabases& databases_;
  const EventStoreOptions& options_;
  core::Random& random_;
  const BatchTerms terms_;
  std::map<std::size_t, std::unique_ptr<Session>> sessions_;  // of the worker's thread alone
  AppendWorker worker_;  // last: its thread uses all of the above
};

}  // namespace tideline::postgres
