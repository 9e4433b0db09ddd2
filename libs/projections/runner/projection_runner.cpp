#include <algorithm>
#include <utility>
#include <vector>

#include "projections/runner/projection_runner_state.hpp"

namespace tideline::projections {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kIdlePoll{100};
// With something to flush, whether a query waits for it is asked this often.
constexpr milliseconds kPendingPoll{5};
// Who has just lost all partitions is likely to get some at once, and loads then anyway.
constexpr milliseconds kLoadOfNothing{1000};

}  // namespace

std::string to_text(const eventsourcing::SourcePartition& partition) {
  return partition.service + "/" + std::to_string(partition.log.value());
}

void ProjectionRunner::State::step(std::stop_token stop) {
  if (load_due()) load();
  auto polled = ports.source->poll(poll_timeout());
  if (polled) {
    take_assignment(*polled);
    if (!polled->records.empty()) {
      source_problem.clear();
      reached(RunnerPoint::Polled);
    }
    if (!load_needed) take_records(polled->records);
    ports.source->give_back(std::move(polled->records));
  } else {
    source_problem = polled.error().message;
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, stop, options.backoff_min, [] { return false; });
  }
  if (!load_needed) after_batch();
  refresh_ends();
  if (durable) look_at_checkpoints();
  compare_with_ends();
}

milliseconds ProjectionRunner::State::poll_timeout() const {
  if (load_needed && ever_assigned) {
    const auto left = std::chrono::ceil<milliseconds>(load_at - steady_now());
    return std::clamp(left, milliseconds(0), kIdlePoll);
  }
  return durable && first_pending ? std::min(kPendingPoll, policy.interval) : kIdlePoll;
}

void ProjectionRunner::State::take_assignment(const eventsourcing::PollResult& polled) {
  if (polled.revoked.empty() && polled.assigned.empty()) return;
  for (const eventsourcing::SourcePartition& partition : polled.revoked) {
    owned.erase(partition);
    // Its next owner finds out for itself.
    std::erase_if(poisoned, [&](const auto& entry) { return entry.first.first == partition; });
  }
  for (const eventsourcing::SourcePartition& partition : polled.assigned) owned[partition] = {};
  ever_assigned = true;
  schedule_load(owned.empty() ? kLoadOfNothing : milliseconds(0));
  ends_at_start.reset();
}

void ProjectionRunner::State::take_records(
    const std::vector<eventsourcing::SourceRecord>& records) {
  std::size_t told = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (; told < std::min(i + eventsourcing::Projection::kPrefetchAhead + 1, records.size());
         ++told) {
      const eventsourcing::RecordedEvent& event = records[told].event;
      if (event.visibility != eventsourcing::Visibility::Private) projection.prefetch(event);
    }
    if (!take(records[i])) return;
  }
}

void ProjectionRunner::State::after_batch() {
  const eventsourcing::PositionVector positions = memory_positions();
  in_memory.advance(positions);
  if (!durable) {
    applied.advance(positions);
    first_pending.reset();
  }
  handle_gaps();
  if (!durable || !first_pending) return;
  const bool due = steady_now() - *first_pending >= policy.interval;
  if (due || applied.flush_wanted(positions)) flush();
}

eventsourcing::PositionVector ProjectionRunner::State::memory_positions() const {
  eventsourcing::PositionVector reached;
  for (const auto& [partition, mine] : owned) {
    reached.raise(partition.service, partition.log, mine.progress.position());
  }
  return reached;
}

void ProjectionRunner::State::publish_status() {
  counts.lag = 0;
  std::string gap;
  for (const auto& [partition, mine] : owned) {
    if (mine.progress.gap() == eventsourcing::PartitionProgress::Gap::Missing) {
      gap = "waits for position " + std::to_string(mine.progress.missing().value()) + " of " +
            to_text(partition);
    }
    if (!ends || !ends->offsets.contains(partition)) continue;
    const std::int64_t left = ends->offsets.at(partition).value() - mine.progress.seen().value();
    counts.lag += static_cast<std::uint64_t>(std::max<std::int64_t>(0, left));
  }
  counts.parked = dead.count;
  counts.last_problem = !gap.empty() ? gap : !problem.empty() ? problem : source_problem;
  const std::lock_guard lock(status_mutex);
  published = counts;
  published_reached_at = reached_at;
}

// ---------------------------------------------------------------------------------------------------

ProjectionRunner::ProjectionRunner(eventsourcing::Projection& projection, RunnerPorts ports,
                                   std::uint32_t logs, RunnerOptions options)
    : state_(std::make_unique<State>(projection, std::move(ports), logs, std::move(options),
                                     applied_, in_memory_)) {}

ProjectionRunner::~ProjectionRunner() = default;

void ProjectionRunner::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    state_->step(stop);
    state_->publish_status();
  }
  if (state_->durable && !state_->load_needed && !state_->flush()) {
    state_->log("warn", "what was pending at the stop is applied again at the next start");
  }
  state_->show_progress();
  state_->publish_status();
}

eventsourcing::RunnerStatus ProjectionRunner::status() const {
  const std::lock_guard lock(state_->status_mutex);
  eventsourcing::RunnerStatus status = state_->published;
  if (const auto at = state_->published_reached_at) {
    status.behind = std::chrono::duration_cast<milliseconds>(core::time_since_boot() - *at);
  }
  return status;
}

eventsourcing::PartitionPlaces ProjectionRunner::places() const {
  eventsourcing::PartitionPlaces places;
  for (const auto& [partition, mine] : state_->owned) {
    places[partition] = {mine.progress.position(), mine.progress.next_offset()};
  }
  return places;
}

}  // namespace tideline::projections
