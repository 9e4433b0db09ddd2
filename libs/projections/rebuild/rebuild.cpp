#include "projections/rebuild/rebuild.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "core/check.hpp"
#include "projections/rebuild/rebuild_copy.hpp"
#include "projections/runner/projection_runner.hpp"

namespace tideline::projections {
namespace {

using core::Status;
using postgres::rebuild::Place;
using std::chrono::milliseconds;

// So near the end the runner stops and the exact vector is approached.
constexpr std::uint64_t kNearEvents = 5000;
constexpr milliseconds kLook{50};
constexpr milliseconds kAttemptPause{500};
// Connecting and reading up to where the projection that serves stands; nothing is locked yet.
constexpr milliseconds kTailDeadline{15'000};
// The same with its checkpoints locked: only what came in between is read.
constexpr milliseconds kLockedTailDeadline{3'000};

std::chrono::steady_clock::time_point in(milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

void pause(const std::stop_token& stop, milliseconds time) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, time, [] { return false; });
}

eventsourcing::PositionVector vector_of(const std::vector<Place>& places) {
  eventsourcing::PositionVector positions;
  for (const Place& place : places) {
    positions.raise(place.partition.service, place.partition.log, place.position);
  }
  return positions;
}

std::uint64_t events_in(const std::vector<Place>& places) {
  std::uint64_t events = 0;
  for (const Place& place : places) events += place.position.value();
  return events;
}

bool reaches(const eventsourcing::PositionVector& positions,
             const eventsourcing::PositionVector& wanted) {
  for (const auto& [service, logs] : wanted.services()) {
    for (const auto& [log, position] : logs) {
      if (positions.at(service, log) < position) return false;
    }
  }
  return true;
}

std::string lines(const std::string& title, const std::vector<std::string>& items) {
  std::string text = title;
  for (const std::string& item : items) text += "\n  " + item;
  return text;
}

std::string describe(const postgres::rebuild::Comparison& comparison) {
  std::string text = "the tables differ from what the events give:";
  for (const auto& table : comparison.tables) {
    if (table.equal) continue;
    text += "\n  " + table.table + ": " + std::to_string(table.rows_old) + " rows, rebuilt " +
            std::to_string(table.rows_new);
    for (const std::string& example : table.examples) text += "\n    " + example;
  }
  return text;
}

}  // namespace

class Rebuild::State {
 public:
  State(eventsourcing::Projection& projection, RebuildPorts ports, RebuildOptions options)
      : projection_(projection),
        ports_(std::move(ports)),
        options_(std::move(options)),
        names_(projection.name(), projection.tables()) {
    CHECK(!names_.tables.empty(), "a projection without tables is not rebuilt");
  }

  core::Result<RebuildReport> run(const std::stop_token& stop);

 private:
  enum class Met { Done, Again };

  Status prepare();
  core::Result<Met> build_and_meet(const std::stop_token& stop);
  Status build(const std::stop_token& stop);
  void follow(ProjectionRunner& runner, const std::stop_token& stop);
  RebuildProgress progress_of(const eventsourcing::RunnerStatus& status) const;
  Status await_live(const std::stop_token& stop);

  core::Result<Met> meet();
  Status open_tail();
  Status at_one_vector(const std::function<void(sql::Transaction&)>& then);
  void bring_up(const eventsourcing::PositionVector& target);
  void apply_deferred_of_live();
  void apply_tail(const std::vector<Tail::Piece>& pieces);
  Status compare_in_a_snapshot();
  Status exchange();
  void judge();
  bool exchanged_already();

  core::Result<std::vector<Place>> places(const std::string& projection);
  void log(std::string_view level, const std::string& text) const {
    if (ports_.log) ports_.log(level, text);
  }

  eventsourcing::Projection& projection_;
  const RebuildPorts ports_;
  const RebuildOptions options_;
  const postgres::rebuild::Names names_;
  std::string live_schema_;
  std::unique_ptr<CopySchema> copy_;
  std::vector<Place> from_;  // where the copy stands between two runs of its runner
  std::unique_ptr<Tail> tail_;
  bool compared_ = false;
  std::chrono::steady_clock::time_point began_;
  std::uint64_t events_before_ = 0;  // in the copy when this run began
  RebuildReport report_;
};

core::Result<RebuildReport> Rebuild::State::run(const std::stop_token& stop) {
  if (auto prepared = prepare(); !prepared) return prepared.error();
  began_ = std::chrono::steady_clock::now();
  for (int attempt = 1;; ++attempt) {
    const auto met = build_and_meet(stop);
    if (met && *met == Met::Done) return report_;
    if (met) continue;
    // The answer to a commit may be lost: then the schema of the copy tells.
    if (exchanged_already()) {
      report_.switched = true;
      return report_;
    }
    if (!met.error().retryable || attempt >= options_.attempts_max) return met.error();
    log("warn", names_.live + ": tries again: " + met.error().message);
    pause(stop, kAttemptPause);
  }
}

core::Result<Rebuild::State::Met> Rebuild::State::build_and_meet(const std::stop_token& stop) {
  if (auto built = build(stop); !built) return built.error();
  if (auto live = await_live(stop); !live) return live.error();
  return meet();
}

Status Rebuild::State::prepare() {
  bool there = false;
  const auto looked = ports_.database.transact([&](sql::Transaction& transaction) {
    live_schema_ = postgres::rebuild::live_schema(transaction);
    const auto mark = postgres::rebuild::schema_mark(transaction, names_);
    there = mark == options_.mark;
    if (mark && !there) log("warn", names_.live + ": the copy was begun by another version");
    if (!there) postgres::rebuild::drop_copy(transaction, names_);
  });
  if (!looked) return looked;
  if (!there) {
    if (auto made = ports_.make_schema(names_.schema, options_.mark); !made) return made;
  }
  copy_ = std::make_unique<CopySchema>(names_, live_schema_);
  auto readied = ports_.database.transact([&](sql::Transaction& transaction) {
    postgres::rebuild::drop_foreign_tables(transaction, names_);
    events_before_ = events_in(postgres::rebuild::places(transaction, names_.copy, false));
  });
  if (readied && events_before_ > 0) {
    log("info", names_.live + ": goes on behind " + std::to_string(events_before_) + " events");
  }
  return readied;
}

core::Result<std::vector<Place>> Rebuild::State::places(const std::string& projection) {
  return ports_.database.read([&](sql::Transaction& transaction) {
    return postgres::rebuild::places(transaction, projection, false);
  });
}

// --- the copy, nearly up to the end
// ----------------------------------------------------------------

Status Rebuild::State::build(const std::stop_token& stop) {
  std::vector<std::string> passed;
  const auto skips = ports_.database.transact([&](sql::Transaction& transaction) {
    passed = postgres::rebuild::take_over_skips(transaction, names_);
  });
  if (!skips) return skips;
  if (!passed.empty()) {
    return core::invalid_input(
        lines("events were skipped that the copy had passed: it must be begun anew", passed));
  }
  {
    ProjectionRunner runner(projection_,
                            {ports_.database, ports_.open_source(), ports_.report_gap, ports_.log,
                             nullptr, copy_.get()},
                            options_.logs, {.name = names_.copy, .flush_policy = options_.flush});
    std::jthread thread([&](std::stop_token done) { runner.run(std::move(done)); });
    follow(runner, stop);
    thread.request_stop();
    thread.join();
  }
  if (stop.stop_requested()) {
    return core::Error{core::ErrorCode::Unavailable, "stopped; the same command goes on from here",
                       false};
  }
  auto now = places(names_.copy);
  if (!now) return now.error();
  from_ = std::move(*now);
  // The next runner goes back to the tables.
  if (copy_->holds_unwritten()) return core::unavailable("the last flush has failed");
  report_.events = events_in(from_);
  if (report_.seconds == 0) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began_;
    report_.seconds = took.count();
    report_.events_per_s = static_cast<double>(report_.events - events_before_) / took.count();
    return ports_.database.transact([&](sql::Transaction& transaction) {
      postgres::rebuild::analyze_copy(transaction, names_);
    });
  }
  return core::success();
}

void Rebuild::State::follow(ProjectionRunner& runner, const std::stop_token& stop) {
  auto shown_at = std::chrono::steady_clock::now();
  while (!stop.stop_requested()) {
    const eventsourcing::RunnerStatus status = runner.status();
    if (status.caught_up_once && status.lag <= kNearEvents) return;
    if (ports_.progress && in(milliseconds(0)) - shown_at >= options_.progress_interval) {
      shown_at = in(milliseconds(0));
      ports_.progress(progress_of(status));
    }
    pause(stop, kLook);
  }
}

RebuildProgress Rebuild::State::progress_of(const eventsourcing::RunnerStatus& status) const {
  RebuildProgress progress;
  progress.done = events_before_ + status.applied;
  progress.total = progress.done + status.lag;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began_;
  progress.events_per_s = static_cast<double>(status.applied) / std::max(took.count(), 0.001);
  if (progress.events_per_s > 0) {
    progress.left = std::chrono::seconds(
        static_cast<std::int64_t>(static_cast<double>(status.lag) / progress.events_per_s));
  }
  progress.problem = status.last_problem;
  return progress;
}

Status Rebuild::State::await_live(const std::stop_token& stop) {
  const auto deadline = in(options_.live_deadline);
  while (true) {
    const auto live = places(names_.live);
    if (!live && !live.error().retryable) return live.error();
    if (live && reaches(vector_of(*live), vector_of(from_))) return core::success();
    if (stop.stop_requested() || in(milliseconds(0)) > deadline) break;
    pause(stop, kLook);
  }
  // A projection that is stuck is a reason to rebuild it: the copy may then be ahead.
  if (options_.allow_difference && !stop.stop_requested()) return core::success();
  return core::Error{
      core::ErrorCode::Unavailable,
      "the projection that serves does not come to where the copy is; does the service run?",
      false};
}

// --- both at one vector
// ----------------------------------------------------------------------------

core::Result<Rebuild::State::Met> Rebuild::State::meet() {
  std::int64_t bytes = 0;
  const auto sized = ports_.database.transact([&](sql::Transaction& transaction) {
    bytes = postgres::rebuild::copy_bytes(transaction, names_);
  });
  if (!sized) return sized.error();
  if (auto opened = open_tail(); !opened) return opened.error();
  const bool large = bytes > options_.compare_locked_bytes_max;
  if (options_.verify_only || (large && !compared_)) {
    if (auto compared = compare_in_a_snapshot(); !compared) return compared.error();
    compared_ = true;
    if (!options_.verify_only) return report_.finding.empty() ? Met::Again : Met::Done;
    const auto dropped = ports_.database.transact(
        [&](sql::Transaction& transaction) { postgres::rebuild::drop_copy(transaction, names_); });
    if (!dropped) return dropped.error();
    return Met::Done;
  }
  if (auto exchanged = exchange(); !exchanged) return exchanged.error();
  return Met::Done;
}

Status Rebuild::State::open_tail() {
  const auto live = places(names_.live);
  if (!live) return live.error();
  tail_ = std::make_unique<Tail>(ports_.open_source(), from_);
  return tail_->read(vector_of(*live), in(kTailDeadline));
}

// Locks the checkpoints of the projection that serves, so that it stays where it is, and commits
// the copy at the same vector. `then` runs with the lock still held.
Status Rebuild::State::at_one_vector(const std::function<void(sql::Transaction&)>& then) {
  return ports_.database.transact([&](sql::Transaction& transaction) {
    const eventsourcing::PositionVector target =
        vector_of(postgres::rebuild::places(transaction, names_.live, true));
    if (auto read = tail_->read(target, in(kLockedTailDeadline)); !read) {
      throw sql::TransactionFailed(read.error());
    }
    bring_up(target);
    apply_deferred_of_live();
    const auto passed = postgres::rebuild::take_over_skips(transaction, names_);
    if (!passed.empty()) report_.finding = lines("events were skipped meanwhile:", passed);
    const auto poison = postgres::rebuild::new_dead_letters(transaction, names_);
    if (!poison.empty()) {
      report_.finding =
          lines("the copy has parked events that the tables that serve hold:", poison);
    }
    if (report_.finding.empty()) then(transaction);
  });
}

void Rebuild::State::bring_up(const eventsourcing::PositionVector& target) {
  const auto pieces = tail_->up_to(target);
  apply_tail(pieces);
  if (const eventsourcing::Preparation preparation = projection_.prepare_flush();
      preparation.state != eventsourcing::Preparation::State::Done) {
    throw sql::TransactionFailed(
        core::unavailable("a flush could not be prepared: " + preparation.error.message));
  }
  const auto done = ports_.database.transact([&](sql::Transaction& transaction) {
    std::vector<postgres::checkpoints::Step> steps;
    for (const Place& place : postgres::rebuild::places(transaction, names_.copy, true)) {
      for (const auto& piece : pieces) {
        if (piece.partition != place.partition) continue;
        steps.push_back(
            {place.partition, place.generation, piece.from, piece.to, piece.next_offset});
      }
    }
    if (steps.size() != pieces.size() ||
        !postgres::checkpoints::advance(transaction, names_.copy, steps)) {
      throw sql::TransactionFailed(core::unavailable("somebody else has moved the copy"));
    }
    copy_->flushing(transaction);
    projection_.flush(transaction);
  });
  if (!done) throw sql::TransactionFailed(done.error());
  projection_.flushed();
  copy_->committed();
}

// Committed before anybody compares; nobody flushes meanwhile.
void Rebuild::State::apply_deferred_of_live() {
  const auto applied = ports_.database.transact(
      [&](sql::Transaction& transaction) { projection_.apply_deferred(transaction); });
  if (!applied) throw sql::TransactionFailed(applied.error());
}

// What the runner does with an event, for those that need nothing special. Any other sends the copy
// back to the runner, which parks it.
void Rebuild::State::apply_tail(const std::vector<Tail::Piece>& pieces) {
  const auto dead = ports_.database.read([&](sql::Transaction& transaction) {
    return postgres::checkpoints::dead_letters(transaction, names_.copy);
  });
  if (!dead) throw sql::TransactionFailed(dead.error());
  for (const auto& piece : pieces) {
    for (const eventsourcing::RecordedEvent* event : piece.events) {
      if (event->visibility == eventsourcing::Visibility::Private) continue;
      if (dead->skipped.contains({piece.partition, event->position})) continue;
      if (dead->streams.contains({event->source, event->stream.value()})) {
        throw sql::TransactionFailed(core::unavailable("an event belongs behind a parked one"));
      }
      try {
        copy_->applying(*event);
        projection_.apply(*event);
      } catch (const std::exception& failure) {
        throw sql::TransactionFailed(
            core::unavailable("an event cannot be applied: " + std::string(failure.what())));
      }
    }
  }
}

Status Rebuild::State::compare_in_a_snapshot() {
  return ports_.database.snapshot([&](sql::Transaction& view) {
    const auto met = at_one_vector([&](sql::Transaction&) {
      // Both stand at one vector, and committed.
      postgres::rebuild::take_snapshot(view);
    });
    if (!met) throw sql::TransactionFailed(met.error());
    if (!report_.finding.empty()) return;
    report_.comparison = postgres::rebuild::compare(view, names_, live_schema_);
    judge();
  });
}

void Rebuild::State::judge() {
  const auto& comparison = report_.comparison;
  if (!options_.allow_difference) {
    if (!comparison.equal) report_.finding = describe(comparison);
    return;
  }
  for (const auto& table : comparison.tables) {
    if (table.rows_old > 0 && table.rows_new == 0) {
      report_.finding = "table " + table.table + " would lose all of its " +
                        std::to_string(table.rows_old) + " rows";
    }
  }
}

Status Rebuild::State::exchange() {
  auto exchanged = at_one_vector([&](sql::Transaction& transaction) {
    if (!compared_) {
      report_.comparison = postgres::rebuild::compare(transaction, names_, live_schema_);
      judge();
      if (!report_.finding.empty()) return;
    }
    if (!postgres::rebuild::older_queries_are_over(transaction)) {
      throw sql::TransactionFailed(core::unavailable("a query of the service goes on and on"));
    }
    postgres::rebuild::exchange(transaction, names_, live_schema_);
  });
  report_.switched = exchanged.ok() && report_.finding.empty();
  return exchanged;
}

bool Rebuild::State::exchanged_already() {
  const auto mark = ports_.database.read([&](sql::Transaction& transaction) {
    return postgres::rebuild::schema_mark(transaction, names_);
  });
  return mark && !*mark;
}

// ---------------------------------------------------------------------------------------------------

Rebuild::Rebuild(eventsourcing::Projection& projection, RebuildPorts ports, RebuildOptions options)
    : state_(std::make_unique<State>(projection, std::move(ports), std::move(options))) {}

Rebuild::~Rebuild() = default;

core::Result<RebuildReport> Rebuild::run(std::stop_token stop) { return state_->run(stop); }

Status abandon_rebuild(sql::Database& database, const eventsourcing::Projection& projection) {
  const postgres::rebuild::Names names(projection.name(), projection.tables());
  return database.transact(
      [&](sql::Transaction& transaction) { postgres::rebuild::drop_copy(transaction, names); });
}

}  // namespace tideline::projections
