// How a runner compares itself with what the topics hold, and with the commits of other owners.
#include <algorithm>
#include <utility>

#include "projections/runner/projection_runner_state.hpp"

namespace tideline::projections {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kEndsInterval{1000};
constexpr milliseconds kEndsRetry{250};
// How often the checkpoints are looked at: while somebody waits for other owners, and otherwise.
constexpr milliseconds kHeldWanted{20};
constexpr milliseconds kHeldIdle{1000};

}  // namespace

void ProjectionRunner::State::handle_gaps() {
  for (auto& [partition, mine] : owned) {
    if (mine.progress.gap() == eventsourcing::PartitionProgress::Gap::None) continue;
    const auto now = steady_now();
    const std::string what =
        "position " + std::to_string(mine.progress.missing().value()) + " of " + to_text(partition);
    if (mine.progress.gap() == eventsourcing::PartitionProgress::Gap::Detected) {
      const auto known = ports.source->end_offsets();
      const bool found = known && known->contains(partition);
      const auto from = mine.progress.begin_search(
          options.search_back_records, found ? known->at(partition) : mine.progress.seen());
      log("warn", "looks for " + what);
      mine.search_since = now;
      mine.gap_reported.reset();
      if (!ports.source->seek(partition, from)) return schedule_load(next_backoff());
    }
    if (now - mine.search_since > options.gap_report_interval) mine.progress.give_up_search();
    if (mine.progress.gap() != eventsourcing::PartitionProgress::Gap::Missing) continue;
    if (mine.gap_reported && now - *mine.gap_reported < options.gap_report_interval) continue;
    mine.gap_reported = now;
    log("error", "waits for " + what + ", which the topic does not hold");
    if (ports.report_gap) ports.report_gap(partition, mine.progress.missing());
  }
}

// What would be read again after a crash is not done yet.
void ProjectionRunner::State::show_progress() {
  if (load_needed) return;
  std::map<eventsourcing::SourcePartition, core::KafkaOffset> moved;
  for (auto& [partition, mine] : owned) {
    const auto next = durable ? mine.committed_offset : mine.progress.next_offset();
    if (mine.shown_offset == next) continue;
    mine.shown_offset = next;
    moved[partition] = next;
  }
  if (moved.empty()) return;
  progress_shown_at = steady_now();
  ports.source->show_progress(moved);
}

void ProjectionRunner::State::refresh_ends() {
  const auto now = steady_now();
  if (now - ends_asked_at < (ends_at_start ? kEndsInterval : kEndsRetry)) return;
  ends_asked_at = now;
  const auto asked_at = core::time_since_boot();
  auto known = ports.source->end_offsets();
  source_problem = known ? "" : known.error().message;
  if (!known) return;
  ends = Ends{asked_at, std::move(*known)};
  if (!progress_shown_at || now - *progress_shown_at >= options.progress_interval) show_progress();
  if (!ends_at_start) ends_at_start = ends;
  if (!ends_to_reach) ends_to_reach = ends;
  // A topic that was put back to an older copy does not get to where it was by itself.
  for (auto* earlier : {&*ends_at_start, &*ends_to_reach}) {
    for (auto& [partition, end] : earlier->offsets) {
      end = std::min(end, ends->offsets[partition]);
    }
  }
}

bool ProjectionRunner::State::has_all_before(
    const std::map<eventsourcing::SourcePartition, core::KafkaOffset>& wanted) const {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    const auto& [partition, end] = entry;
    if (const auto mine = owned.find(partition); mine != owned.end()) {
      const eventsourcing::PartitionProgress& progress = mine->second.progress;
      return progress.seen() >= end &&
             progress.gap() == eventsourcing::PartitionProgress::Gap::None;
    }
    const auto other = held.find(partition);
    const auto reached_there =
        other == held.end() ? core::KafkaOffset(0) : other->second.next_offset;
    return reached_there >= end;
  });
}

void ProjectionRunner::State::compare_with_ends() {
  if (load_needed && !owned.empty()) return;
  if (ends_to_reach && has_all_before(ends_to_reach->offsets)) {
    reached_at = ends_to_reach->at;
    ends_to_reach.reset();
  }
  if (counts.caught_up_once || !ends_at_start || !has_all_before(ends_at_start->offsets)) return;
  if (projection.answers_from_memory() && (load_needed || owned.size() < partitions_all)) return;
  if (durable && !load_needed && !flush()) return;
  counts.caught_up_once = true;
  counts.caught_up_in = std::chrono::duration_cast<milliseconds>(steady_now() - begun);
  log("info", "caught up");
}

// What others commit is applied here too, for the tables are the same. A generation of ours that
// somebody has raised is seen here when there is nothing to flush, and tables that were put back to
// an older copy.
void ProjectionRunner::State::look_at_checkpoints() {
  if (load_needed && !owned.empty()) return;
  const auto now = steady_now();
  const bool wanted = applied.anybody_waits() && owned.size() < partitions_all;
  if (now - held_at < (wanted ? kHeldWanted : kHeldIdle)) return;
  held_at = now;
  auto looked = ports.database.read([&](sql::Transaction& transaction) {
    return postgres::checkpoints::held(transaction, name);
  });
  if (!looked) return;
  held = std::move(*looked);
  applied.advance(postgres::checkpoints::positions_of(held));
  for (const auto& [partition, mine] : owned) {
    const auto found = held.find(partition);
    if (found != held.end() && found->second.generation == mine.generation &&
        found->second.position == mine.committed) {
      continue;
    }
    return rewind("somebody has taken over " + to_text(partition), next_backoff());
  }
}

}  // namespace tideline::projections
