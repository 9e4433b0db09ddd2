#include "postgres/appender.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/check.hpp"
#include "eventsourcing/append_rules.hpp"
#include "postgres/append_statements.hpp"

namespace tideline::postgres {
namespace {

using eventsourcing::Append;
using eventsourcing::AppendOutcome;
using eventsourcing::TransactionFailed;

constexpr int kAttemptsMax = 3;
constexpr std::chrono::milliseconds kResolvePause{50};
constexpr std::chrono::milliseconds kIdleWait{500};

std::size_t bytes_of(const Append& append) {
  std::size_t bytes = append.result.body.size();
  for (const auto& stream : append.streams) {
    for (const auto& event : stream.events) {
      bytes += stream.stream.value().size() + event.type.size() + event.data.size() + 100;
    }
  }
  return bytes;
}

}  // namespace

Appender::Appender(const DatabaseOptions& database, const EventStoreOptions& options,
                   const core::Clock& clock, core::Random& random, std::function<void()> committed)
    : database_(database),
      options_(options),
      clock_(clock),
      random_(random),
      committed_(std::move(committed)),
      terms_{options.service, options.logs, options.idempotency_ttl},
      queue_(options.queued_appends_max),
      thread_([this] { run(); }) {}

Appender::~Appender() {
  queue_.close();
  thread_.join();
}

AppendResult Appender::append(Append append) {
  auto waiting = std::make_shared<WaitingAppend>();
  waiting->bytes = bytes_of(append);
  if (waiting->bytes > options_.batch_bytes_max) {
    return core::invalid_input("an append of " + std::to_string(waiting->bytes) + " bytes");
  }
  waiting->append = std::move(append);
  auto outcome = waiting->outcome.get_future();
  if (!queue_.push(waiting)) return core::unavailable("too many appends wait");
  if (outcome.wait_for(options_.append_deadline) == std::future_status::timeout) {
    if (queue_.withdraw(waiting)) return core::unavailable("the append's turn did not come");
    return core::timed_out("an append of unknown outcome: the database does not answer");
  }
  return outcome.get();
}

void Appender::run() {
  while (!queue_.finished()) {
    const auto batch = queue_.take(options_.batch_appends_max, options_.batch_bytes_max,
                                   std::min(kIdleWait, options_.sweep_interval));
    if (!batch.empty()) commit(batch);
    sweep_expired_results();
  }
}

// Data that PostgreSQL refuses fails the whole transaction: halving finds whose it is.
void Appender::commit(Batch batch) {
  auto outcomes = try_commit(batch);
  if (outcomes) {
    count(*outcomes);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      batch[i]->outcome.set_value(std::move((*outcomes)[i]));
    }
    return;
  }
  if (!outcomes.error().retryable && batch.size() > 1) {
    commit(batch.first(batch.size() / 2));
    commit(batch.subspan(batch.size() / 2));
    return;
  }
  failed_ += batch.size();
  if (outcomes.error().code == core::ErrorCode::Timeout) unresolved_ += batch.size();
  for (const auto& waiting : batch) waiting->outcome.set_value(outcomes.error());
}

core::Result<std::vector<AppendOutcome>> Appender::try_commit(Batch batch) {
  std::vector<const Append*> appends;
  appends.reserve(batch.size());
  for (const auto& waiting : batch) appends.push_back(&waiting->append);

  for (int attempts = 1;; ++attempts) {
    const bool had_session = session_ != nullptr;
    std::optional<BatchPlan> writing;
    try {
      return attempt(appends, writing).outcomes;
    } catch (const TransactionFailed& failed) {
      const bool lost = !session_ || session_->broken();
      if (!lost) session_->roll_back();
      if (writing) {
        switch (resolve(*writing)) {
          case Commit::Done:
            committed(*writing);
            return std::move(writing->outcomes);
          case Commit::NotDone:
            break;
          case Commit::Unknown:
            return core::timed_out("a commit of unknown outcome: " + failed.error().message);
        }
      }
      // A connection that had gone stale, or a deadlock: nothing has been written.
      const bool passing =
          (lost && had_session) ||
          (failed.error().retryable && failed.error().code == core::ErrorCode::Conflict);
      if (!passing || attempts == kAttemptsMax) return failed.error();
    }
  }
}

BatchPlan Appender::attempt(Appends appends, std::optional<BatchPlan>& writing) {
  Session& session = open_session();
  const BatchScope scope = scope_of(appends, terms_.logs);
  const LockedState state = lock_and_read(session, scope);
  if (state.heads.size() != scope.logs.size()) {
    throw TransactionFailed(core::internal_error("the database was made with fewer logs"));
  }
  BatchPlan plan = plan_batch(appends, scope, state, terms_, random_);
  if (plan.events.empty() && plan.results.empty()) {
    session.execute_script("ROLLBACK");
    return plan;
  }
  writing = std::move(plan);
  write_and_commit(session, *writing);
  committed(*writing);
  return std::move(*writing);
}

void Appender::committed(const BatchPlan& plan) {
  ++batches_;
  events_ += plan.events.size();
  committed_();
}

// Whoever holds the batch's locks after it knows that its transaction has ended, one way or the
// other: it held the same locks from before it wrote.
Appender::Commit Appender::resolve(const BatchPlan& plan) {
  const std::vector<core::LogIndex> logs = logs_of(plan, terms_.logs);
  const auto deadline = std::chrono::steady_clock::now() + options_.resolve_deadline;
  while (true) {
    try {
      Session& session = open_session();
      lock_logs(session, logs);
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
  if (session_ && session_->broken()) session_.reset();
  if (!session_) {
    auto session = std::make_unique<Session>(database_, "appender");
    prepare_append_statements(*session);
    session_ = std::move(session);
  }
  return *session_;
}

void Appender::sweep_expired_results() {
  const auto now = std::chrono::steady_clock::now();
  if (now < swept_at_ + options_.sweep_interval) return;
  swept_at_ = now;
  try {
    // Bounded, so that appends do not wait for it; the condition stands twice since a row may get a
    // new expiry while this waits for it.
    open_session().execute(
        "DELETE FROM idempotency_result WHERE expires_at <= $1 AND ctid = ANY(ARRAY("
        "SELECT ctid FROM idempotency_result WHERE expires_at <= $1 LIMIT 5000))",
        {clock_.now()});
  } catch (const TransactionFailed&) {
    // The next round sweeps; until then expired results only take room.
    if (session_) session_->roll_back();
  }
}

void Appender::count(const std::vector<AppendOutcome>& outcomes) {
  for (const AppendOutcome& outcome : outcomes) {
    if (std::holds_alternative<eventsourcing::Appended>(outcome)) ++appends_;
    if (std::holds_alternative<eventsourcing::VersionConflict>(outcome)) ++conflicts_;
  }
}

AppenderStatus Appender::status() const {
  return {batches_, appends_, events_, conflicts_, failed_, unresolved_, queue_.size()};
}

}  // namespace tideline::postgres
