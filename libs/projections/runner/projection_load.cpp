// How a runner begins, and goes back to what is committed.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "projections/runner/projection_runner_state.hpp"
#include "sql/no_tables.hpp"

namespace tideline::projections {
namespace {

using std::chrono::milliseconds;

// Until a flush that was not ready is tried again.
constexpr milliseconds kPreparationPause{5};

}  // namespace

void ProjectionRunner::State::schedule_load(milliseconds delay) {
  load_needed = true;
  load_at = steady_now() + delay;
  current = owned.end();
  pending_events = 0;
  last_applied.reset();
  first_pending.reset();
  parking.clear();
  replayed.clear();
  to_replay.clear();
  tables_loaded = false;
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

// Who has lost all partitions still drops the memory of them.
bool ProjectionRunner::State::load_due() const {
  return load_needed && ever_assigned && steady_now() >= load_at;
}

// Tables, then parked events, then the records: each stream is either free or parked as a whole
// before anything new of it comes.
void ProjectionRunner::State::load() {
  if (!tables_loaded) {
    const core::Status status = durable ? load_tables() : load_memory();
    if (!status) return cannot_load(status.error());
    tables_loaded = true;
    reached(RunnerPoint::Loaded);
  }
  if (!replay()) return;
  if (const core::Status status = seek_all(); !status) return cannot_load(status.error());
  load_needed = false;
  problem.clear();
}

void ProjectionRunner::State::cannot_load(const core::Error& error) {
  log("warn", "cannot begin: " + error.message);
  schedule_load(next_backoff());
  problem = error.message;
}

core::Status ProjectionRunner::State::load_memory() {
  // From here on until it is known what was loaded, nobody may rely on the memory.
  applied.reset(sources, {});
  in_memory.reset(sources, {});
  try {
    sql::NoTables none;
    if (ports.observer) ports.observer->loading(none);
    projection.load(none);
  } catch (const std::exception& failure) {
    return core::internal_error(failure.what());
  }
  const eventsourcing::PartitionPlaces places = projection.loaded_places();
  for (auto& [partition, mine] : owned) {
    const auto found = places.find(partition);
    const eventsourcing::PartitionPlace place =
        found == places.end() ? eventsourcing::PartitionPlace() : found->second;
    mine.progress.restart(place.position, place.next_offset);
  }
  dead.streams.clear();
  dead.count = 0;
  applied.reset(sources, memory_positions());
  in_memory.reset(sources, memory_positions());
  return core::success();
}

core::Status ProjectionRunner::State::load_tables() {
  std::vector<eventsourcing::SourcePartition> partitions;
  for (const auto& [partition, ignored] : owned) partitions.push_back(partition);
  std::vector<postgres::checkpoints::Claim> claims;
  std::vector<eventsourcing::RecordedEvent> marked;
  const core::Status status = transact([&](sql::Transaction& transaction) {
    claims = postgres::checkpoints::claim(transaction, name, partitions);
    reached(RunnerPoint::Claimed);
    held = postgres::checkpoints::held(transaction, name);
    dead = postgres::checkpoints::dead_letters(transaction, name);
    marked = postgres::checkpoints::marked(transaction, name);
    // From here on until it is known what was loaded, nobody may rely on the memory.
    in_memory.reset(sources, {});
    if (ports.observer) ports.observer->loading(transaction);
    projection.load(transaction);
  });
  if (!status) return status;
  for (const postgres::checkpoints::Claim& claim : claims) {
    Owned& mine = owned.at(claim.partition);
    mine = {};
    mine.generation = claim.generation;
    mine.committed = claim.position;
    mine.committed_offset = claim.next_offset;
    mine.progress.restart(claim.position, claim.next_offset);
  }
  std::erase_if(marked, [&](const eventsourcing::RecordedEvent& event) {
    return !owned.contains({event.source, event.log});
  });
  to_replay = std::move(marked);
  const eventsourcing::PositionVector committed = postgres::checkpoints::positions_of(held);
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

// False: it is not finished, or it failed and the runner goes back.
bool ProjectionRunner::State::replay() {
  std::set<std::string> still_parked;  // streams
  for (const eventsourcing::RecordedEvent& event : std::exchange(to_replay, {})) {
    const eventsourcing::SourcePartition partition{event.source, event.log};
    postgres::checkpoints::Replayed done{partition, event.position, event.stream.value(),
                                         std::nullopt};
    const EventPlace place{partition, event.position};
    // The log in front: streams of one name may lie in several services.
    const std::string stream = event.source + "/" + event.stream.value();
    if (still_parked.contains(stream)) {
      done.still_parked = kBehindAParkedEvent;
    } else if (const auto known = poisoned.find(place); known != poisoned.end()) {
      done.still_parked = known->second;
    } else {
      try {
        hand_over(event);
        ++pending_events;
        last_applied = place;
      } catch (const eventsourcing::PoisonEvent& poison) {
        done.still_parked = poison.what();
      } catch (const std::exception& failure) {
        poisoned[place] = failure.what();
        rewind("parked event of " + to_text(partition) + " failed: " + failure.what(),
               milliseconds(0));
        return false;
      }
    }
    if (done.still_parked) still_parked.insert(stream);
    log("warn", std::string(done.still_parked ? "keeps parked " : "applies again ") + event.type +
                    " " + to_text(partition) + "/" + std::to_string(event.position.value()) +
                    (done.still_parked ? ": " + *done.still_parked : ""));
    replayed.push_back(std::move(done));
    reached(RunnerPoint::Replayed);
    if (pending_events >= std::min(policy.events, batch_limit) && !flush()) return false;
  }
  if (replayed.empty()) return true;
  if (!flush()) return false;
  if (replayed.empty()) return true;
  load_at = steady_now() + kPreparationPause;
  return false;
}

}  // namespace tideline::projections
