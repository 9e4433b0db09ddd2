#include "postgres/append_worker.hpp"

#include <algorithm>
#include <utility>

namespace tideline::postgres {
namespace {

using eventsourcing::Append;
using eventsourcing::AppendOutcome;

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

std::size_t events_of(const Append& append) {
  std::size_t events = 0;
  for (const auto& stream : append.streams) events += stream.events.size();
  return events;
}

}  // namespace

AppendWorker::AppendWorker(const EventStoreOptions& options, Work work)
    : options_(options),
      work_(std::move(work)),
      queue_(options.queued_appends_max),
      thread_([this] { run(); }) {}

AppendWorker::~AppendWorker() {
  queue_.close();
  thread_.join();
}

AppendResult AppendWorker::append(Append append) {
  auto waiting = std::make_shared<WaitingAppend>();
  waiting->bytes = bytes_of(append);
  if (waiting->bytes > options_.batch_bytes_max) {
    return core::invalid_input("an append of " + std::to_string(waiting->bytes) + " bytes");
  }
  waiting->append = std::move(append);
  if (!queue_.push(waiting)) return core::unavailable("too many appends wait");
  if (AppendResult* outcome = waiting->outcome.wait_for(options_.append_deadline)) {
    return std::move(*outcome);
  }
  if (queue_.withdraw(waiting)) return core::unavailable("the append's turn did not come");
  return core::timed_out("an append of unknown outcome: the database does not answer");
}

void AppendWorker::run() {
  while (!queue_.finished()) {
    const auto batch = queue_.take(options_.batch_appends_max, options_.batch_bytes_max,
                                   std::min(kIdleWait, options_.sweep_interval));
    if (!batch.empty()) commit(batch);
    work_.between_batches();
  }
}

// Data that PostgreSQL refuses fails the whole transaction: halving finds whose it is.
void AppendWorker::commit(Batch batch) {
  std::vector<const Append*> appends;
  appends.reserve(batch.size());
  for (const auto& waiting : batch) appends.push_back(&waiting->append);
  auto outcomes = work_.commit(appends);
  if (outcomes) {
    count(batch, *outcomes);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      batch[i]->outcome.set(std::move((*outcomes)[i]));
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
  for (const auto& waiting : batch) waiting->outcome.set(outcomes.error());
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
