#include <algorithm>
#include <utility>
#include <vector>

#include "eventsourcing/projection_runner_state.hpp"

namespace tideline::eventsourcing {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;
using std::chrono::milliseconds;

constexpr milliseconds kIdlePoll{100};
// With something to flush, whether a query waits for it is asked this often.
constexpr milliseconds kPendingPoll{5};
constexpr milliseconds kEndsInterval{2000};
constexpr milliseconds kEndsRetry{250};
// How often the commits of other owners are looked at: while somebody waits, and otherwise.
constexpr milliseconds kOthersWanted{20};
constexpr milliseconds kOthersIdle{1000};

SteadyTime steady_now() { return std::chrono::steady_clock::now(); }

// Given to load() of a model without tables.
class NoTables final : public Transaction {
 public:
  Rows execute(std::string_view, const Params&) override { refuse(); }
  void copy_in(std::string_view, std::span<const std::string>, std::span<const Params>) override {
    refuse();
  }

 private:
  [[noreturn]] static void refuse() {
    throw TransactionFailed(core::internal_error("a model that is not durable has no tables"));
  }
};

}  // namespace

std::string to_text(const SourcePartition& partition) {
  return partition.service + "/" + std::to_string(partition.log.value());
}

void ProjectionRunner::State::step(std::stop_token stop) {
  if (load_needed && !owned.empty() && steady_now() >= load_at) load();
  auto polled = ports.source->poll(poll_timeout());
  if (polled) {
    take_assignment(*polled);
    if (!polled->records.empty()) source_problem.clear();
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
  if (durable) refresh_other_owners();
}

milliseconds ProjectionRunner::State::poll_timeout() const {
  if (load_needed && !owned.empty()) {
    const auto left = std::chrono::ceil<milliseconds>(load_at - steady_now());
    return std::clamp(left, milliseconds(0), kIdlePoll);
  }
  return durable && first_pending ? std::min(kPendingPoll, policy.interval) : kIdlePoll;
}

void ProjectionRunner::State::take_assignment(const PollResult& polled) {
  for (const SourcePartition& partition : polled.revoked) owned.erase(partition);
  for (const SourcePartition& partition : polled.assigned) owned[partition] = {};
  if (!polled.revoked.empty() || !polled.assigned.empty()) {
    schedule_load(milliseconds(0));
    ends_at_start_known = false;
  }
}

void ProjectionRunner::State::take_records(const std::vector<SourceRecord>& records) {
  for (const SourceRecord& record : records) {
    if (!take(record)) return;
  }
}

void ProjectionRunner::State::after_batch() {
  const PositionVector reached = memory_positions();
  in_memory.advance(reached);
  if (!durable) {
    applied.advance(reached);
    first_pending.reset();
  }
  handle_gaps();
  refresh_ends();
  if (durable && first_pending) {
    const bool due = steady_now() - *first_pending >= policy.interval;
    if ((due || applied.flush_wanted(reached)) && !flush()) return;
  }
  check_caught_up();
}

// --- going (back) to what is committed
// -------------------------------------------------------------

void ProjectionRunner::State::schedule_load(milliseconds delay) {
  load_needed = true;
  load_at = steady_now() + delay;
  current = owned.end();
  pending_events = 0;
  last_applied.reset();
  first_pending.reset();
  parking.clear();
}

void ProjectionRunner::State::rewind(const std::string& why, milliseconds delay) {
  problem = why;
  ++counts.rewinds;
  log("warn", "goes back to the committed positions: " + why);
  schedule_load(delay);
  if (delay == milliseconds(0)) return;
  for (const auto& [partition, ignored] : owned) {
    if (!ports.source->pause(partition)) log("warn", "cannot pause " + to_text(partition));
  }
  paused = true;
}

milliseconds ProjectionRunner::State::next_backoff() {
  const milliseconds pause = backoff;
  backoff = std::min(backoff * 2, options.backoff_max);
  return pause;
}

void ProjectionRunner::State::load() {
  core::Status status = load_tables();
  if (status) status = seek_all();
  if (!status) {
    problem = status.error().message;
    load_at = steady_now() + next_backoff();
    log("warn", "cannot begin: " + problem);
    return;
  }
  load_needed = false;
  problem.clear();
}

core::Status ProjectionRunner::State::load_tables() {
  if (!durable) {
    try {
      NoTables none;
      projection.load(none);
    } catch (const std::exception& failure) {
      return core::internal_error(failure.what());
    }
    for (auto& [partition, mine] : owned) mine.progress.restart({}, {});
    dead.streams.clear();
    dead.count = 0;
    applied.reset(sources, {});
    in_memory.reset(sources, {});
    return core::success();
  }
  std::vector<SourcePartition> partitions;
  for (const auto& [partition, ignored] : owned) partitions.push_back(partition);
  std::vector<checkpoints::Claim> claims;
  PositionVector committed;
  const core::Status status = transact([&](Transaction& transaction) {
    claims = checkpoints::claim(transaction, projection.name(), partitions);
    committed = checkpoints::positions(transaction, projection.name());
    dead = checkpoints::dead_letters(transaction, projection.name());
    projection.load(transaction);
  });
  if (!status) return status;
  for (const checkpoints::Claim& claim : claims) {
    Owned& mine = owned.at(claim.partition);
    mine = {};
    mine.generation = claim.generation;
    mine.committed = claim.position;
    mine.progress.restart(claim.position, claim.next_offset);
  }
  applied.reset(sources, committed);
  in_memory.reset(sources, committed);
  return status;
}

core::Status ProjectionRunner::State::seek_all() {
  for (const auto& [partition, mine] : owned) {
    auto status = ports.source->seek(partition, mine.progress.next_offset());
    if (status && paused) status = ports.source->resume(partition);
    if (!status) return status;
  }
  paused = false;
  return core::success();
}

// --- gaps, ends, other owners
// ----------------------------------------------------------------------

void ProjectionRunner::State::handle_gaps() {
  for (auto& [partition, mine] : owned) {
    if (mine.progress.gap() == PartitionProgress::Gap::None) continue;
    const auto now = steady_now();
    const std::string what =
        "position " + std::to_string(mine.progress.missing().value()) + " of " + to_text(partition);
    if (mine.progress.gap() == PartitionProgress::Gap::Detected) {
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
    if (mine.progress.gap() != PartitionProgress::Gap::Missing) continue;
    if (mine.gap_reported && now - *mine.gap_reported < options.gap_report_interval) continue;
    mine.gap_reported = now;
    log("error", "waits for " + what + ", which the topic does not hold");
    if (ports.report_gap) ports.report_gap(partition, mine.progress.missing());
  }
}

void ProjectionRunner::State::refresh_ends() {
  const auto now = steady_now();
  if (now - ends_at < (ends_at_start_known ? kEndsInterval : kEndsRetry)) return;
  ends_at = now;
  auto known = ports.source->end_offsets();
  source_problem = known ? "" : known.error().message;
  if (!known) return;
  ends = std::move(*known);
  if (!ends_at_start_known) ends_at_start = ends;
  ends_at_start_known = true;
}

void ProjectionRunner::State::check_caught_up() {
  if (counts.caught_up_once || !ends_at_start_known || load_needed) return;
  for (const auto& [partition, mine] : owned) {
    const auto end = ends_at_start.find(partition);
    if (end == ends_at_start.end() || mine.progress.seen() < end->second) return;
    if (mine.progress.gap() != PartitionProgress::Gap::None) return;
  }
  if (owned.empty() || (durable && !flush())) return;
  counts.caught_up_once = true;
  log("info", "caught up");
}

void ProjectionRunner::State::refresh_other_owners() {
  const auto now = steady_now();
  if (owned.empty() || owned.size() >= partitions_all) return;
  if (now - others_at < (applied.anybody_waits() ? kOthersWanted : kOthersIdle)) return;
  others_at = now;
  const auto committed = ports.database.read([&](Transaction& transaction) {
    return checkpoints::positions(transaction, projection.name());
  });
  if (committed) applied.advance(*committed);
}

PositionVector ProjectionRunner::State::memory_positions() const {
  PositionVector reached;
  for (const auto& [partition, mine] : owned) {
    reached.raise(partition.service, partition.log, mine.progress.position());
  }
  return reached;
}

void ProjectionRunner::State::publish_status() {
  counts.lag = 0;
  std::string gap;
  for (const auto& [partition, mine] : owned) {
    if (mine.progress.gap() == PartitionProgress::Gap::Missing) {
      gap = "waits for position " + std::to_string(mine.progress.missing().value()) + " of " +
            to_text(partition);
    }
    const auto end = ends.find(partition);
    if (end == ends.end()) continue;
    const std::int64_t left = end->second.value() - mine.progress.seen().value();
    counts.lag += static_cast<std::uint64_t>(std::max<std::int64_t>(0, left));
  }
  counts.parked = dead.count;
  counts.last_problem = !gap.empty() ? gap : !problem.empty() ? problem : source_problem;
  const std::lock_guard lock(status_mutex);
  published = counts;
}

// ---------------------------------------------------------------------------------------------------

ProjectionRunner::ProjectionRunner(Projection& projection, RunnerPorts ports, std::uint32_t logs,
                                   RunnerOptions options)
    : state_(std::make_unique<State>(projection, std::move(ports), logs, options, applied_,
                                     in_memory_)) {}

ProjectionRunner::~ProjectionRunner() = default;

void ProjectionRunner::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    state_->step(stop);
    state_->publish_status();
  }
  if (state_->durable && !state_->load_needed && !state_->flush()) {
    state_->log("warn", "what was pending at the stop is applied again at the next start");
  }
  state_->publish_status();
}

RunnerStatus ProjectionRunner::status() const {
  const std::lock_guard lock(state_->status_mutex);
  return state_->published;
}

}  // namespace tideline::eventsourcing
