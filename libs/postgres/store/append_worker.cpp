#include "postgres/store/append_worker.hpp"

#include <algorithm>
#include <utility>

namespace tideline::postgres {
namespace {

using eventsourcing::Append;
using eventsourcing::AppendOutcome;

std::size_t bytes_of(const Append& append) {
  std::size_t bytes = append.result.body.size();
  for (const auto& stream : append.streams) {
    for (const auto& event : stream.events) {
      bytes += stream.stream.value().size() + event.type.size() + event.data.size() + 100;
    }
  }
  return bytes;
}

std::size_t events_of(const Append& append) {
  std::size_t events = 0;
  for (const auto& stream : append.streams) events += stream.events.size();
  return events;
}

core::Error too_many() { return core::unavailable("too many appends wait"); }
core::Error too_late() { return core::unavailable("the append's turn did not come"); }

}  // namespace

AppendWorker::AppendWorker(const EventStoreOptions& options, Work work)
    : options_(options),
      work_(std::move(work)),
      queue_({options.queued_appends_max, options.batch_appends_max, options.batch_bytes_max}),
      thread_([this] { run(); }) {}

AppendWorker::~AppendWorker() {
  queue_.close();
  thread_.join();
}

core::Result<WaitingAppend> AppendWorker::checked(Append append) const {
  WaitingAppend waiting;
  waiting.bytes = bytes_of(append);
  if (waiting.bytes > options_.batch_bytes_max) {
    return core::invalid_input("an append of " + std::to_string(waiting.bytes) + " bytes");
  }
  waiting.append = std::move(append);
  waiting.deadline = std::chrono::steady_clock::now() + options_.append_deadline;
  return waiting;
}

AppendResult AppendWorker::append(Append append) {
  auto waiting = checked(std::move(append));
  if (!waiting) return waiting.error();
  const auto deadline = waiting->deadline;
  const auto place = queue_.push(std::move(*waiting));
  if (!place) return too_many();
  if (place->batch->decided.wait_until(deadline)) return std::move(*place->append().outcome);
  if (queue_.withdraw(*place)) return too_late();
  return core::timed_out("an append of unknown outcome: the database does not answer");
}

void AppendWorker::append_then(Append append, eventsourcing::AppendDone done) {
  auto waiting = checked(std::move(append));
  if (!waiting) return done(waiting.error());
  waiting->done = std::move(done);
  if (!queue_.push(std::move(*waiting))) waiting->done(too_many());
}

void AppendWorker::run() {
  std::chrono::milliseconds idle_wait{0};
  while (!queue_.finished()) {
    const auto batch = queue_.take(idle_wait);
    if (batch) {
      decide(*batch);
      batch->decided.open();
      for (WaitingAppend& append : batch->appends) {
        if (append.done) append.done(std::move(*append.outcome));
      }
    }
    idle_wait = work_.tidy(!batch);
  }
}

void AppendWorker::decide(WaitingBatch& batch) {
  const auto now = std::chrono::steady_clock::now();
  std::vector<WaitingAppend*> wanted;
  wanted.reserve(batch.appends.size());
  for (WaitingAppend& append : batch.appends) {
    if (append.withdrawn) continue;
    if (append.deadline > now) {
      wanted.push_back(&append);
    } else {
      append.outcome = too_late();
    }
  }
  if (!wanted.empty()) commit(wanted);
}

// Data that PostgreSQL refuses fails the whole transaction: halving finds whose it is.
void AppendWorker::commit(Batch batch) {
  std::vector<const Append*> appends;
  appends.reserve(batch.size());
  for (const WaitingAppend* waiting : batch) appends.push_back(&waiting->append);
  auto outcomes = work_.commit(appends);
  if (outcomes) {
    count(batch, *outcomes);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      batch[i]->outcome = std::move((*outcomes)[i]);
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
  for (WaitingAppend* waiting : batch) waiting->outcome = outcomes.error();
}

void AppendWorker::count(Batch batch, const std::vector<AppendOutcome>& outcomes) {
  std::uint64_t appended = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (std::holds_alternative<eventsourcing::VersionConflict>(outcomes[i])) ++conflicts_;
    if (!std::holds_alternative<eventsourcing::Appended>(outcomes[i])) continue;
    ++appended;
    events_ += events_of(batch[i]->append);
  }
  if (appended == 0) return;
  ++batches_;
  appends_ += appended;
  work_.committed();
}

AppenderStatus AppendWorker::status() const {
  AppenderStatus status;
  status.batches = batches_;
  status.appends = appends_;
  status.events = events_;
  status.conflicts = conflicts_;
  status.failed = failed_;
  status.unresolved = unresolved_;
  status.queued = queue_.size();
  return status;
}

}  // namespace tideline::postgres
