#include <algorithm>
#include <set>

#include "projections/runner/projection_runner_state.hpp"

namespace tideline::projections {

// False: the rest of the batch is to be dropped, for the runner goes back.
bool ProjectionRunner::State::take(const eventsourcing::SourceRecord& record) {
  const eventsourcing::RecordedEvent& event = record.event;
  if (current == owned.end() || current->first.log != event.log ||
      current->first.service != event.source) {
    current = owned.find({event.source, event.log});
    if (current == owned.end()) return true;
  }
  eventsourcing::PartitionProgress& progress = current->second.progress;
  const eventsourcing::Verdict verdict = progress.look_at(event.position, record.offset);
  if (verdict == eventsourcing::Verdict::Foreign && counts.passed_over++ % 1000 == 0) {
    log("warn", "passes over a record of " + to_text(current->first) + ": " + event.data);
  }
  if (verdict == eventsourcing::Verdict::Hold) return true;
  if (!first_pending) first_pending = std::chrono::steady_clock::now();
  if (verdict != eventsourcing::Verdict::Apply) return true;
  if (!apply({current->first, event.position}, event)) return false;
  progress.applied(event.position, record.offset);
  ++counts.applied;
  reached(RunnerPoint::Applied);
  if (durable && pending_events >= std::min(policy.events, batch_limit)) return flush();
  return true;
}

void ProjectionRunner::State::hand_over(const eventsourcing::RecordedEvent& event) {
  if (!ports.observer) return projection.apply(event);
  ports.observer->applying(event);
  try {
    projection.apply(event);
  } catch (...) {
    ports.observer->applied(event, true);
    throw;
  }
  ports.observer->applied(event, false);
}

bool ProjectionRunner::State::apply(const EventPlace& place,
                                    const eventsourcing::RecordedEvent& event) {
  if (event.visibility == eventsourcing::Visibility::Private || dead.skipped.contains(place))
    return true;
  if (auto reason = reason_to_park(place, event)) return park(event, std::move(*reason));
  try {
    hand_over(event);
  } catch (const eventsourcing::PoisonEvent& poison) {
    return park(event, poison.what());
  } catch (const std::exception& failure) {
    // Half of it may be in memory: it is parked when it comes again.
    poisoned[place] = failure.what();
    rewind("event " + to_text(place.first) + " failed: " + failure.what(), milliseconds(0));
    return false;
  }
  ++pending_events;
  last_applied = place;
  return true;
}

std::optional<std::string> ProjectionRunner::State::reason_to_park(
    const EventPlace& place, const eventsourcing::RecordedEvent& event) {
  if (!poisoned.empty()) {
    const auto found = poisoned.find(place);
    if (found != poisoned.end()) return found->second;
  }
  if (!dead.streams.empty() && dead.streams.contains({event.source, event.stream.value()})) {
    return kBehindAParkedEvent;
  }
  return std::nullopt;
}

bool ProjectionRunner::State::park(const eventsourcing::RecordedEvent& event, std::string reason) {
  if (durable && dead.count >= options.parked_max) {
    if (flush())
      rewind("so many events are parked that it waits for a person", options.backoff_max);
    return false;
  }
  log("warn", "parks " + event.type + " " + event.source + "/" + std::to_string(event.log.value()) +
                  "/" + std::to_string(event.position.value()) + ": " + reason);
  ++dead.streams[{event.source, event.stream.value()}];
  ++dead.count;
  if (durable) parking.push_back({event, std::move(reason)});
  return true;
}

// --- flush
// -----------------------------------------------------------------------------------------

// A partition with nothing but replayed events does not move, but whose it is must be checked too.
std::vector<postgres::checkpoints::Step> ProjectionRunner::State::pending_steps() const {
  std::vector<postgres::checkpoints::Step> steps;
  std::set<eventsourcing::SourcePartition> touched;
  for (const postgres::checkpoints::Replayed& event : replayed) touched.insert(event.partition);
  for (const auto& [partition, mine] : owned) {
    const eventsourcing::PartitionProgress& progress = mine.progress;
    const bool moved =
        progress.position() != mine.committed || progress.next_offset() != mine.committed_offset;
    if (!moved && !touched.contains(partition)) continue;
    steps.push_back(
        {partition, mine.generation, mine.committed, progress.position(), progress.next_offset()});
  }
  return steps;
}

// False: it failed, and the runner goes back.
bool ProjectionRunner::State::flush() {
  const std::vector<postgres::checkpoints::Step> steps = pending_steps();
  if (steps.empty()) {
    first_pending.reset();
    return true;
  }
  reached(RunnerPoint::FlushBegun);
  const eventsourcing::Preparation preparation = projection.prepare_flush();
  if (preparation.state == eventsourcing::Preparation::State::Unfinished) return true;
  if (preparation.state == eventsourcing::Preparation::State::Failed)
    return preparation_failed(preparation);
  bool ownership_lost = false;
  reached(RunnerPoint::FlushBegun);
  const core::Status status = transact([&](sql::Transaction& transaction) {
    if (!postgres::checkpoints::advance(transaction, name, steps)) {
      ownership_lost = true;
      throw sql::TransactionFailed(
          {core::ErrorCode::Conflict, "another owner has taken over", true});
    }
    reached(RunnerPoint::CheckpointWritten);
    postgres::checkpoints::park(transaction, name, parking);
    if (!postgres::checkpoints::record_replayed(transaction, name, replayed)) {
      ownership_lost = true;
      throw sql::TransactionFailed({core::ErrorCode::Conflict, "a parked event is gone", true});
    }
    if (ports.observer) ports.observer->flushing(transaction);
    projection.flush(transaction);
    reached(RunnerPoint::FlushWritten);
  });
  if (!status) return flush_failed(status.error(), ownership_lost);
  reached(RunnerPoint::Committed);
  flush_succeeded(steps);
  return true;
}

void ProjectionRunner::State::flush_succeeded(
    const std::vector<postgres::checkpoints::Step>& steps) {
  projection.flushed();
  if (ports.observer) ports.observer->committed();
  eventsourcing::PositionVector committed;
  for (const postgres::checkpoints::Step& step : steps) {
    owned.at(step.partition).committed = step.to;
    owned.at(step.partition).committed_offset = step.next_offset;
    committed.raise(step.partition.service, step.partition.log, step.to);
  }
  applied.advance(committed);
  for (const auto& parked : parking) {
    poisoned.erase({{parked.event.source, parked.event.log}, parked.event.position});
  }
  for (const postgres::checkpoints::Replayed& event : replayed) {
    poisoned.erase({event.partition, event.position});
    if (event.still_parked) continue;
    const auto stream = dead.streams.find({event.partition.service, event.stream});
    if (--stream->second == 0) dead.streams.erase(stream);
    --dead.count;
  }
  bisect_remaining -= std::min(bisect_remaining, pending_events);
  batch_limit = bisect_remaining == 0 ? kNoLimit : std::max<std::size_t>(1, bisect_remaining / 2);
  pending_events = 0;
  last_applied.reset();
  first_pending.reset();
  parking.clear();
  replayed.clear();
  backoff = options.backoff_min;
  problem.clear();
}

bool ProjectionRunner::State::preparation_failed(const eventsourcing::Preparation& preparation) {
  const bool deterministic = preparation.culprit != nullptr && !preparation.error.retryable;
  if (deterministic) {
    const eventsourcing::RecordedEvent& event = *preparation.culprit;
    poisoned[{{event.source, event.log}, event.position}] = preparation.error.message;
  }
  rewind("a flush could not be prepared: " + preparation.error.message,
         deterministic ? milliseconds(0) : next_backoff());
  return false;
}

bool ProjectionRunner::State::flush_failed(const core::Error& error, bool ownership_lost) {
  const bool deterministic = !error.retryable && !ownership_lost && pending_events > 0;
  if (!deterministic) {
    rewind("flush failed: " + error.message, next_backoff());
    return false;
  }
  if (pending_events == 1) {
    poisoned[*last_applied] = error.message;
    bisect_remaining = 0;
    batch_limit = kNoLimit;
  } else {
    bisect_remaining = pending_events;
    batch_limit = bisect_remaining / 2;
  }
  rewind("flush of " + std::to_string(pending_events) + " events failed: " + error.message,
         milliseconds(0));
  return false;
}

core::Status ProjectionRunner::State::transact(const std::function<void(sql::Transaction&)>& work) {
  const auto guarded = [&](sql::Transaction& transaction) {
    try {
      work(transaction);
    } catch (const sql::TransactionFailed&) {
      throw;
    } catch (const std::exception& failure) {
      throw sql::TransactionFailed(core::internal_error(failure.what()));
    }
  };
  return ports.database.transact(guarded);
}

}  // namespace tideline::projections
