#include "postgres/store/appender.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/check.hpp"
#include "eventsourcing/store/append_rules.hpp"
#include "postgres/store/append_statements.hpp"

namespace tideline::postgres {
namespace {

using eventsourcing::AppendOutcome;
using sql::TransactionFailed;

constexpr int kAttemptsMax = 3;
constexpr std::chrono::milliseconds kResolvePause{50};
// Those who listen in other processes are woken no more often: a wake costs as much as ten events.
constexpr std::chrono::milliseconds kWakeInterval{5};
// Of expired results: more than a batch can add, and few enough that appends do not wait for it.
constexpr std::int64_t kSweptAtOnce = 1024;

}  // namespace

Appender::Appender(const DatabaseOptions& database, const EventStoreOptions& options,
                   const core::Clock& clock, core::Random& random, std::function<void()> committed)
    : database_(database),
      options_(options),
      clock_(clock),
      random_(random),
      terms_{options.service, options.logs, options.idempotency_ttl},
      worker_(options, {[this](Appends appends) { return try_commit(appends); },
                        std::move(committed), [this](bool idle) { return tidy(idle); }}) {}

AppenderStatus Appender::status() const {
  AppenderStatus status = worker_.status();
  status.at_once = at_once_;
  return status;
}

core::Result<Appender::Outcomes> Appender::try_commit(Appends appends) {
  for (int attempts = 1;; ++attempts) {
    const bool had_session = session_ != nullptr;
    std::optional<Writing> writing;
    try {
      return attempt(appends, writing);
    } catch (const TransactionFailed& failed) {
      const bool lost = !session_ || session_->broken();
      if (!lost) session_->roll_back();
      undisturbed_ = false;
      heads_.clear();
      if (writing) {
        switch (resolve(writing->plan)) {
          case Commit::Done:
            return std::move(writing->plan.outcomes);
          case Commit::NotDone:
            break;
          case Commit::Unknown:
            return core::timed_out("a commit of unknown outcome: " + failed.error().message);
        }
      }
      // A connection that had gone stale, a deadlock, or a wrong presumption: nothing has been
      // written.
      const bool conflict = failed.error().code == core::ErrorCode::Conflict;
      const bool passing = (lost && had_session) || (conflict && failed.error().retryable) ||
                           (conflict && writing && writing->presumed);
      if (!passing || attempts == kAttemptsMax) return failed.error();
    }
  }
}

Appender::Outcomes Appender::attempt(Appends appends, std::optional<Writing>& writing) {
  const BatchScope scope = scope_of(appends, terms_.logs);
  if (!write_at_once(appends, scope, writing)) return read_then_write(appends, scope, writing);
  return std::move(writing->plan.outcomes);
}

bool Appender::write_at_once(Appends appends, const BatchScope& scope,
                             std::optional<Writing>& writing) {
  const auto known = [&](core::LogIndex log) { return heads_.contains(log); };
  if (!undisturbed_ || !std::all_of(scope.logs.begin(), scope.logs.end(), known)) return false;
  const LockedState presumed = presumed_state(appends, scope, heads_);
  BatchPlan plan = plan_batch(appends, scope, presumed, terms_, random_);
  // Where appends of the batch are in each other's way, what each is told depends on what is there.
  // Without an event nothing would tell the batch's own result from an equal one before it.
  if (!all_appended(plan) || plan.events.empty()) return false;
  Session& session = open_session();
  writing = {std::move(plan), true};
  commit_presumed(session, scope, presumed, writing->plan, wakes());
  remember_heads(writing->plan.heads);
  ++at_once_;
  return true;
}

Appender::Outcomes Appender::read_then_write(Appends appends, const BatchScope& scope,
                                             std::optional<Writing>& writing) {
  Session& session = open_session();
  const LockedState state = lock_and_read(session, scope);
  if (state.heads.size() != scope.logs.size()) {
    throw TransactionFailed(core::internal_error("the database was made with fewer logs"));
  }
  BatchPlan plan = plan_batch(appends, scope, state, terms_, random_);
  const bool as_left = std::all_of(state.heads.begin(), state.heads.end(), [&](const auto& head) {
    const auto known = heads_.find(head.first);
    return known == heads_.end() || known->second == head.second;
  });
  undisturbed_ = as_left && all_appended(plan);
  remember_heads(state.heads);
  if (plan.events.empty() && plan.results.empty()) {
    session.execute_script("ROLLBACK");
    return std::move(plan.outcomes);
  }
  writing = {std::move(plan), false};
  write_and_commit(session, writing->plan, wakes());
  remember_heads(writing->plan.heads);
  return std::move(writing->plan.outcomes);
}

void Appender::remember_heads(const std::map<core::LogIndex, core::LogPosition>& heads) {
  for (const auto& [log, head] : heads) heads_[log] = head;
}

// The one that holds the batch's locks after it knows that its transaction has ended, one way or
// the other: it held the same locks from before it wrote. A batch that was sent whole may not have
// come so far; then it never will.
Appender::Commit Appender::resolve(const BatchPlan& plan) {
  const std::vector<core::LogIndex> logs = logs_of(plan, terms_.logs);
  const auto deadline = std::chrono::steady_clock::now() + options_.resolve_deadline;
  while (true) {
    try {
      Session& session = open_session();
      end_backends(session, lost_backends_);
      lock_logs(session, logs);
      lost_backends_.clear();
      const bool committed = was_committed(session, plan);
      session.roll_back();
      return committed ? Commit::Done : Commit::NotDone;
    } catch (const TransactionFailed&) {
      if (session_) session_->roll_back();
    }
    if (std::chrono::steady_clock::now() >= deadline) return Commit::Unknown;
    std::this_thread::sleep_for(kResolvePause);
  }
}

Session& Appender::open_session() {
  if (session_ && session_->broken()) {
    lost_backends_.push_back(session_->backend());
    session_.reset();
  }
  if (!session_) {
    auto session = std::make_unique<Session>(database_, "appender");
    prepare_append_statements(*session);
    session_ = std::move(session);
  }
  return *session_;
}

Wake Appender::wakes() {
  const auto now = std::chrono::steady_clock::now();
  wake_owed_ = now < woken_at_ + kWakeInterval;
  if (wake_owed_) return Wake::Later;
  woken_at_ = now;
  return Wake::Now;
}

std::chrono::milliseconds Appender::tidy(bool idle) {
  const bool more = sweep_expired_results();
  if (!wake_owed_ && more) return kWakeInterval;
  if (!wake_owed_) return std::min(kNothingToTidy, options_.sweep_interval);
  if (!idle) return kWakeInterval;
  wake_owed_ = false;
  try {
    wake_listeners(open_session());
  } catch (const TransactionFailed&) {
    // Who listens looks from time to time without having been woken.
    if (session_) session_->roll_back();
  }
  return kNothingToTidy;
}

bool Appender::sweep_expired_results() {
  const auto now = std::chrono::steady_clock::now();
  if (now < swept_at_ + options_.sweep_interval) return false;
  swept_at_ = now;
  try {
    // The condition stands twice since a row may get a new expiry while this waits for it.
    const auto rows = open_session().execute(
        "WITH gone AS (DELETE FROM idempotency_result WHERE expires_at <= $1 AND ctid = ANY(ARRAY("
        "SELECT ctid FROM idempotency_result WHERE expires_at <= $1 LIMIT $2)) RETURNING 1)"
        " SELECT count(*) FROM gone",
        {clock_.now(), kSweptAtOnce});
    if (rows.front().integer(0) < kSweptAtOnce) return false;
    // The next follows with the next batch, so that no rate of appends outruns it.
    swept_at_ -= options_.sweep_interval;
    return true;
  } catch (const TransactionFailed&) {
    // The next round sweeps; until then expired results only take room.
    if (session_) session_->roll_back();
    return false;
  }
}

}  // namespace tideline::postgres
