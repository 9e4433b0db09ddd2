#include "postgres/store/spread_appender.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "postgres/store/append_statements.hpp"

namespace tideline::postgres {
namespace {

using sql::TransactionFailed;

constexpr int kAttemptsMax = 3;
constexpr std::chrono::milliseconds kResolvePause{50};

// A result that an attempt of unknown outcome has stored is found by the next attempt. An equal one
// of somebody else would be the same answer.
void own_what_is_there(Appends appends, std::vector<eventsourcing::AppendOutcome>& outcomes) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto* done = std::get_if<eventsourcing::AlreadyDone>(&outcomes[i]);
    if (done != nullptr && appends[i]->streams.empty() && done->result == appends[i]->result) {
      outcomes[i] = eventsourcing::Appended{};
    }
  }
}

}  // namespace

SpreadAppender::SpreadAppender(const LogDatabases& databases, const EventStoreOptions& options,
                               core::Random& random, std::function<void()> committed)
    : databases_(databases),
      options_(options),
      random_(random),
      terms_{options.service, options.logs, options.idempotency_ttl},
      worker_(options, {[this](Appends appends) { return try_commit(appends); },
                        std::move(committed), [](bool) { return kNothingToTidy; }}) {}

core::Result<SpreadAppender::Outcomes> SpreadAppender::try_commit(Appends appends) {
  bool results_perhaps_stored = false;
  for (int attempts = 1;; ++attempts) {
    const bool had_sessions = !sessions_.empty();
    std::optional<Writing> writing;
    try {
      Outcomes outcomes = attempt(appends, writing);
      if (results_perhaps_stored) own_what_is_there(appends, outcomes);
      return outcomes;
    } catch (const TransactionFailed& failed) {
      const bool lost = std::any_of(sessions_.begin(), sessions_.end(), [](const auto& open) {
        return !open.second || open.second->broken();
      });
      if (lost) {
        sessions_.clear();  // where one has gone stale, the others have perhaps too
      } else {
        roll_back_all();
      }
      if (writing) {
        if (auto settled = settle(*writing, failed.error())) return std::move(*settled);
      }
      if (writing && writing->deciding && writing->gid.empty()) results_perhaps_stored = true;
      // Connections that had gone stale, or a deadlock.
      const bool passing =
          (lost && had_sessions) ||
          (failed.error().retryable && failed.error().code == core::ErrorCode::Conflict);
      if (passing && attempts < kAttemptsMax) continue;
      if (results_perhaps_stored) {
        return core::timed_out("results perhaps stored: " + failed.error().message);
      }
      return failed.error();
    }
  }
}

SpreadAppender::Outcomes SpreadAppender::attempt(Appends appends, std::optional<Writing>& writing) {
  const BatchScope scope = scope_of(appends, terms_.logs);
  const auto parts = parts_of(scope, databases_);
  const LockedState state = lock_and_read(parts);
  if (state.heads.size() != scope.logs.size()) {
    throw TransactionFailed(core::internal_error("the databases were made with fewer logs"));
  }
  BatchPlan plan = plan_batch(appends, scope, state, terms_, random_);
  if (plan.events.empty() && plan.results.empty()) {
    roll_back_all();
    return std::move(plan.outcomes);
  }
  writing.emplace();
  writing->parts = parts_of(plan, parts, databases_);
  writing->plan = std::move(plan);
  if (writing->plan.events.empty()) {
    commit_results(*writing);
  } else {
    commit_with_events(*writing);
  }
  return std::move(writing->plan.outcomes);
}

LockedState SpreadAppender::lock_and_read(const std::map<std::size_t, PartScope>& parts) {
  LockedState state;
  for (const auto& [database, part] : parts) {
    Session& open = session(database);
    join(state, postgres::lock_and_read(open, part.scope), part);
  }
  return state;
}

// A database that is only read is prepared too: so its locks outlive a lost connection, and what
// was asserted there still stands when the append is decided.
void SpreadAppender::commit_with_events(Writing& writing) {
  const PlannedEvent& first = writing.plan.events.front();
  writing.primary = databases_.index_of(first.log);
  writing.gid = to_gid({options_.service, first.log, first.position, first.id});
  for (const auto& [database, part] : writing.parts) {
    if (database == writing.primary) continue;
    Session& open = session(database);
    writing.prepared.insert(database);
    write_rows(open, part);
    open.execute_script("PREPARE TRANSACTION " + open.quote(writing.gid));
  }
  Session& primary = session(writing.primary);
  writing.deciding = true;
  write_and_commit(primary, writing.parts.at(writing.primary), Wake::Now);
  commit_prepared(writing);
}

void SpreadAppender::commit_results(Writing& writing) {
  writing.deciding = true;
  for (const auto& [database, part] : writing.parts) {
    Session& open = session(database);
    if (!part.results.empty()) write_and_commit(open, part, Wake::Now);
  }
  roll_back_all();
}

std::optional<core::Result<SpreadAppender::Outcomes>> SpreadAppender::settle(
    Writing& writing, const core::Error& why) {
  if (writing.gid.empty()) return std::nullopt;
  if (writing.deciding) {
    switch (resolve(writing)) {
      case Commit::Done:
        commit_prepared(writing);
        return core::Result<Outcomes>(std::move(writing.plan.outcomes));
      case Commit::NotDone:
        break;
      case Commit::Unknown:
        return core::Result<Outcomes>(
            core::timed_out("a commit of unknown outcome: " + why.message));
    }
  }
  for (const std::size_t database : writing.prepared) {
    finish(writing, database, End::RollBack);
  }
  return std::nullopt;
}

// The one that holds the deciding log's lock after the batch knows that its transaction in the
// primary database has ended, one way or the other.
SpreadAppender::Commit SpreadAppender::resolve(const Writing& writing) {
  const BatchPlan& part = writing.parts.at(writing.primary);
  const auto deadline = std::chrono::steady_clock::now() + options_.resolve_deadline;
  while (true) {
    try {
      Session& open = session(writing.primary);
      lock_logs(open, {writing.plan.events.front().log});
      const bool committed = was_committed(open, part);
      open.roll_back();
      return committed ? Commit::Done : Commit::NotDone;
    } catch (const TransactionFailed&) {
      roll_back_all();
    }
    if (std::chrono::steady_clock::now() >= deadline) return Commit::Unknown;
    std::this_thread::sleep_for(kResolvePause);
  }
}

// What is decided is decided: a part that cannot be finished now is finished by InDoubtAppends.
void SpreadAppender::commit_prepared(const Writing& writing) {
  const auto deadline = std::chrono::steady_clock::now() + options_.resolve_deadline;
  for (const std::size_t database : writing.prepared) {
    while (!finish(writing, database, End::Commit) && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(kResolvePause);
    }
  }
}

// False if it may succeed later. An error of another kind means that there is no such transaction:
// somebody has finished it, or it was never prepared.
bool SpreadAppender::finish(const Writing& writing, std::size_t database, End end) {
  try {
    Session& open = session(database);
    open.execute_script((end == End::Commit ? "COMMIT PREPARED " : "ROLLBACK PREPARED ") +
                        open.quote(writing.gid));
    if (end == End::Commit) wake_listeners(open);
    return true;
  } catch (const TransactionFailed& failed) {
    const auto open = sessions_.find(database);
    if (open != sessions_.end() && open->second) open->second->roll_back();
    return !failed.error().retryable;
  }
}

// A session that is thrown away ends its transaction as well.
void SpreadAppender::roll_back_all() {
  for (auto& [database, open] : sessions_) {
    if (open) open->roll_back();
  }
  std::erase_if(sessions_, [](const auto& open) { return !open.second || open.second->broken(); });
}

Session& SpreadAppender::session(std::size_t database) {
  auto& open = sessions_[database];
  if (open && open->broken()) open.reset();
  if (!open) {
    auto made = std::make_unique<Session>(databases_.at(database).options(), "spread appender");
    prepare_append_statements(*made);
    open = std::move(made);
  }
  return *open;
}

}  // namespace tideline::postgres
