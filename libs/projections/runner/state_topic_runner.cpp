#include "projections/runner/state_topic_runner.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "postgres/projections/state_topic_checkpoints.hpp"
#include "sql/no_tables.hpp"

namespace tideline::projections {
namespace {

using std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr milliseconds kStateIdlePoll{100};
constexpr milliseconds kLookInterval{10'000};
constexpr milliseconds kBackoffMin{50};
constexpr milliseconds kBackoffMax{5000};

}  // namespace

struct StateTopicRunner::State {
  State(eventsourcing::StateView& view_, sql::Database& database_,
        std::unique_ptr<eventsourcing::StateSource> source_, LogLine log_,
        std::vector<std::string> services_)
      : view(view_),
        database(database_),
        source(std::move(source_)),
        log_line(std::move(log_)),
        services(std::move(services_)),
        durable(view.durable()),
        policy(view.flush_policy()) {
    applied.reset(services, {});
  }

  void step(std::stop_token stop);
  void wait(std::stop_token stop);
  core::Status load();
  core::Status look();
  core::Status look_at_last_records();
  bool take_all(const std::vector<eventsourcing::StateRecord>& records);
  void take_ends(const std::map<std::uint32_t, core::KafkaOffset>& ends);
  void begin_anew(std::int64_t of);
  void read_from_the_first();
  void take(const eventsourcing::StateRecord& record);
  void take_state(const eventsourcing::StateRecord& record);
  void advance_applied();
  void flush();
  void failed(const core::Error& error);
  core::Status transact(const std::function<void(sql::Transaction&)>& work);
  void publish_status();
  void log(std::string_view level, const std::string& text) const {
    if (log_line) log_line(level, std::string(view.name()) + ": " + text);
  }

  eventsourcing::StateView& view;
  sql::Database& database;
  std::unique_ptr<eventsourcing::StateSource> source;
  const LogLine log_line;
  const std::vector<std::string> services;
  const bool durable;
  const eventsourcing::FlushPolicy policy;

  bool load_needed = true;
  milliseconds backoff = kBackoffMin;
  bool backing_off = false;
  std::int64_t edition = 0;
  // By partition, where the next record comes: of all, and of those read since the last flush.
  std::map<std::uint32_t, core::KafkaOffset> next;
  std::map<std::uint32_t, core::KafkaOffset> pending;
  std::size_t pending_records = 0;
  SteadyTime looked_at = std::chrono::steady_clock::now();
  std::optional<SteadyTime> first_pending;
  std::set<std::uint32_t> ends_reached;
  // What each partition was told since the load: all of them together say what is there.
  std::map<std::uint32_t, eventsourcing::PositionVector> told;
  eventsourcing::AppliedPositions applied;

  StateTopicStatus counts;
  mutable std::mutex status_mutex;
  StateTopicStatus published;
};

void StateTopicRunner::State::step(std::stop_token stop) {
  if (std::exchange(backing_off, false)) wait(stop);
  if (load_needed) {
    const core::Status loaded = load();
    if (!loaded) return failed(loaded.error());
  }
  auto polled =
      source->poll(first_pending ? std::min(kStateIdlePoll, policy.interval) : kStateIdlePoll);
  if (!polled) {
    counts.last_problem = polled.error().message;
    return wait(stop);
  }
  counts.last_problem.clear();
  if (take_all(polled->records)) take_ends(polled->ends_reached);
  const bool at_end = ends_reached.size() >= source->partitions();
  const bool catches_up = at_end && !counts.caught_up_once;
  if (first_pending) {
    const bool due = std::chrono::steady_clock::now() - *first_pending >= policy.interval;
    if (due || catches_up || pending_records >= policy.events) flush();
  }
  if (at_end && !load_needed) counts.caught_up_once = true;
  const bool look_due = std::chrono::steady_clock::now() - looked_at >= kLookInterval;
  if (at_end && look_due && !load_needed && !first_pending) {
    const core::Status looked = look();
    if (!looked) failed(looked.error());
  }
}

// A pause that the stop ends at once.
void StateTopicRunner::State::wait(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, backoff, [] { return false; });
}

core::Status StateTopicRunner::State::load() {
  postgres::StateTopicPlace place;
  const core::Status loaded = transact([&](sql::Transaction& transaction) {
    if (durable) place = postgres::state_topic_place(transaction, view.name());
    view.load(transaction);
  });
  if (!loaded) return loaded;
  // The tables may be older than what was told. The last records, which come again, tell it anew.
  told.clear();
  applied.reset(services, {});
  if (durable) edition = place.edition;
  next = std::move(place.next);
  const core::Status sought = look_at_last_records();
  if (!sought) return sought;
  load_needed = false;
  counts.last_problem.clear();
  return loaded;
}

// Whether topic and tables are still those that they were, when nothing comes.
core::Status StateTopicRunner::State::look() {
  postgres::StateTopicPlace stored;
  if (durable) {
    const core::Status read = transact([&](sql::Transaction& transaction) {
      stored = postgres::state_topic_place(transaction, view.name());
    });
    if (!read) return read;
    for (const auto& [partition, offset] : next) {
      const std::pair kept(stored.edition, stored.next[partition]);
      if (kept >= std::pair(edition, offset)) continue;
      return core::unavailable("the tables were put back to an older copy");
    }
  }
  return look_at_last_records();
}

// Goes on with the last record that was read, once more. Where the topic has been written anew
// since, with as many records as were read or fewer, nothing else would say so.
core::Status StateTopicRunner::State::look_at_last_records() {
  looked_at = std::chrono::steady_clock::now();
  for (std::uint32_t partition = 0; partition < source->partitions(); ++partition) {
    const std::int64_t read = next[partition].value();
    const auto sought =
        source->seek(partition, core::KafkaOffset(std::max<std::int64_t>(0, read - 1)));
    if (!sought) return sought;
  }
  return core::success();
}

// False: all of it comes again.
bool StateTopicRunner::State::take_all(const std::vector<eventsourcing::StateRecord>& records) {
  for (const eventsourcing::StateRecord& record : records) {
    if (record.edition > edition) {
      begin_anew(record.edition);
      return false;
    }
    take(record);
  }
  return true;
}

// Where all partitions were written anew with one record less than was read, the last record that
// was read is not there to tell of the edition: the end alone does.
void StateTopicRunner::State::take_ends(const std::map<std::uint32_t, core::KafkaOffset>& ends) {
  for (const auto& [partition, end] : ends) {
    if (end < next[partition]) {
      log("warn", "the topic is shorter than what was read: reads it from the first record");
      return read_from_the_first();
    }
    ends_reached.insert(partition);
  }
}

void StateTopicRunner::State::begin_anew(std::int64_t of) {
  log("warn", "the topic has been written anew: reads it from the first record");
  edition = of;
  read_from_the_first();
  if (durable && !load_needed) {
    pending = next;
    if (!first_pending) first_pending = std::chrono::steady_clock::now();
  }
}

// The view keeps what it has: states that come again change nothing.
void StateTopicRunner::State::read_from_the_first() {
  for (std::uint32_t i = 0; i < source->partitions(); ++i) next[i] = core::KafkaOffset(0);
  ends_reached.clear();
  if (const auto sought = look_at_last_records(); !sought) failed(sought.error());
}

void StateTopicRunner::State::take_state(const eventsourcing::StateRecord& record) {
  try {
    view.apply(record.key, record.value);
    ++counts.applied;
  } catch (const std::exception& failure) {
    ++counts.passed_over;
    log("warn", "passes over the state of " + record.key + ": " + failure.what());
  }
}

void StateTopicRunner::State::take(const eventsourcing::StateRecord& record) {
  if (record.applied) {
    told[record.partition].join(*record.applied);
  } else {
    take_state(record);
  }
  next[record.partition] = core::KafkaOffset(record.offset.value() + 1);
  looked_at = std::chrono::steady_clock::now();
  if (!durable) return advance_applied();
  pending[record.partition] = next[record.partition];
  ++pending_records;
  if (!first_pending) first_pending = std::chrono::steady_clock::now();
}

void StateTopicRunner::State::flush() {
  const core::Status status = transact([&](sql::Transaction& transaction) {
    view.flush(transaction);
    postgres::advance_state_topic(transaction, view.name(), {edition, pending});
  });
  if (!status) return failed(status.error());
  view.flushed();
  advance_applied();
  pending.clear();
  pending_records = 0;
  first_pending.reset();
  backoff = kBackoffMin;
}

// A state is in one of the partitions, so the one that was told least decides.
void StateTopicRunner::State::advance_applied() {
  if (told.size() < source->partitions()) return;
  eventsourcing::PositionVector least;
  for (const auto& [service, logs] : told.begin()->second.services()) {
    for (const auto& [log, position] : logs) {
      core::LogPosition lowest = position;
      for (const auto& [partition, positions] : told) {
        lowest = std::min(lowest, positions.at(service, log));
      }
      least.raise(service, log, lowest);
    }
  }
  applied.advance(least);
}

void StateTopicRunner::State::failed(const core::Error& error) {
  counts.last_problem = error.message;
  log("warn", "begins again from the tables: " + error.message);
  load_needed = true;
  backing_off = true;
  backoff = std::min(backoff * 2, kBackoffMax);
  pending.clear();
  pending_records = 0;
  first_pending.reset();
  ends_reached.clear();
}

core::Status StateTopicRunner::State::transact(const std::function<void(sql::Transaction&)>& work) {
  const auto guarded = [&](sql::Transaction& transaction) {
    try {
      work(transaction);
    } catch (const sql::TransactionFailed&) {
      throw;
    } catch (const std::exception& failure) {
      throw sql::TransactionFailed(core::internal_error(failure.what()));
    }
  };
  if (durable) return database.transact(guarded);
  try {
    sql::NoTables none;
    guarded(none);
  } catch (const sql::TransactionFailed& failure) {
    return failure.error();
  }
  return core::success();
}

void StateTopicRunner::State::publish_status() {
  const std::lock_guard lock(status_mutex);
  published = counts;
}

StateTopicRunner::StateTopicRunner(eventsourcing::StateView& view, sql::Database& database,
                                   std::unique_ptr<eventsourcing::StateSource> source, LogLine log,
                                   std::vector<std::string> services)
    : state_(std::make_unique<State>(view, database, std::move(source), std::move(log),
                                     std::move(services))) {}

StateTopicRunner::~StateTopicRunner() = default;

void StateTopicRunner::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    state_->step(stop);
    state_->publish_status();
  }
  if (state_->first_pending) state_->flush();
  state_->publish_status();
}

eventsourcing::AppliedPositions& StateTopicRunner::applied() { return state_->applied; }

StateTopicStatus StateTopicRunner::status() const {
  const std::lock_guard lock(state_->status_mutex);
  return state_->published;
}

}  // namespace tideline::projections
