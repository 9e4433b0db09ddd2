#include "eventsourcing/state_topic.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <set>
#include <span>
#include <utility>
#include "eventsourcing/no_tables.hpp"

namespace tideline::eventsourcing {
namespace {

using std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr milliseconds kStateIdlePoll{100};
constexpr milliseconds kBackoffMin{50};
constexpr milliseconds kBackoffMax{5000};

constexpr const char* kLoadSql =
    "SELECT partition, next_offset FROM state_topic_checkpoint WHERE view = $1";

// Replicas keep one checkpoint together: what one of them has written need not be read again.
constexpr const char* kAdvanceSql =
    "INSERT INTO state_topic_checkpoint AS c (view, partition, next_offset)"
    " SELECT $1, n.partition, n.next_offset FROM unnest($2::int[], $3::bigint[])"
    " AS n(partition, next_offset) ORDER BY n.partition"
    " ON CONFLICT (view, partition) DO UPDATE SET next_offset = EXCLUDED.next_offset";

}  // namespace

struct StateTopicRunner::State {
  State(StateView& view_, Database& database_, std::unique_ptr<StateSource> source_, LogLine log_)
      : view(view_),
        database(database_),
        source(std::move(source_)),
        log_line(std::move(log_)),
        durable(view.durable()),
        policy(view.flush_policy()) {}

  void step(std::stop_token stop);
  void wait(std::stop_token stop);
  core::Status load();
  void take(const StateRecord& record);
  void flush();
  void failed(const core::Error& error);
  core::Status transact(const std::function<void(Transaction&)>& work);
  void publish_status();
  void log(std::string_view level, const std::string& text) const {
    if (log_line) log_line(level, std::string(view.name()) + ": " + text);
  }

  StateView& view;
  Database& database;
  std::unique_ptr<StateSource> source;
  const LogLine log_line;
  const bool durable;
  const FlushPolicy policy;

  bool load_needed = true;
  milliseconds backoff = kBackoffMin;
  bool backing_off = false;
  std::map<std::uint32_t, core::KafkaOffset> pending;  // next offsets since the last flush
  std::size_t pending_records = 0;
  std::optional<SteadyTime> first_pending;
  std::set<std::uint32_t> ends_reached;

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
  for (const StateRecord& record : polled->records) take(record);
  ends_reached.insert(polled->ends_reached.begin(), polled->ends_reached.end());
  const bool at_end = ends_reached.size() >= source->partitions();
  const bool catches_up = at_end && !counts.caught_up_once;
  if (first_pending) {
    const bool due = std::chrono::steady_clock::now() - *first_pending >= policy.interval;
    if (due || catches_up || pending_records >= policy.events) flush();
  }
  if (at_end && !load_needed) counts.caught_up_once = true;
}

// A pause that the stop ends at once.
void StateTopicRunner::State::wait(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, backoff, [] { return false; });
}

core::Status StateTopicRunner::State::load() {
  std::map<std::uint32_t, core::KafkaOffset> from;
  for (std::uint32_t i = 0; i < source->partitions(); ++i) from[i] = core::KafkaOffset(0);
  const core::Status loaded = transact([&](Transaction& transaction) {
    if (durable) {
      for (const Row& row : transaction.execute(kLoadSql, {view.name()})) {
        from[static_cast<std::uint32_t>(row.integer(0))] = core::KafkaOffset(row.integer(1));
      }
    }
    view.load(transaction);
  });
  if (!loaded) return loaded;
  for (const auto& [partition, offset] : from) {
    if (partition >= source->partitions()) continue;
    const core::Status sought = source->seek(partition, offset);
    if (!sought) return sought;
  }
  load_needed = false;
  counts.last_problem.clear();
  return loaded;
}

void StateTopicRunner::State::take(const StateRecord& record) {
  try {
    view.apply(record.key, record.value);
    ++counts.applied;
  } catch (const std::exception& failure) {
    ++counts.passed_over;
    log("warn", "passes over the state of " + record.key + ": " + failure.what());
  }
  if (!durable) return;
  pending[record.partition] = core::KafkaOffset(record.offset.value() + 1);
  ++pending_records;
  if (!first_pending) first_pending = std::chrono::steady_clock::now();
}

void StateTopicRunner::State::flush() {
  std::vector<std::uint32_t> partitions;
  std::vector<std::int64_t> offsets;
  for (const auto& [partition, offset] : pending) {
    partitions.push_back(partition);
    offsets.push_back(offset.value());
  }
  const core::Status status = transact([&](Transaction& transaction) {
    view.flush(transaction);
    transaction.execute(kAdvanceSql, {view.name(), partitions, offsets});
  });
  if (!status) return failed(status.error());
  view.flushed();
  pending.clear();
  pending_records = 0;
  first_pending.reset();
  backoff = kBackoffMin;
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

core::Status StateTopicRunner::State::transact(const std::function<void(Transaction&)>& work) {
  const auto guarded = [&](Transaction& transaction) {
    try {
      work(transaction);
    } catch (const TransactionFailed&) {
      throw;
    } catch (const std::exception& failure) {
      throw TransactionFailed(core::internal_error(failure.what()));
    }
  };
  if (durable) return database.transact(guarded);
  try {
    NoTables none;
    guarded(none);
  } catch (const TransactionFailed& failure) {
    return failure.error();
  }
  return core::success();
}

void StateTopicRunner::State::publish_status() {
  const std::lock_guard lock(status_mutex);
  published = counts;
}

StateTopicRunner::StateTopicRunner(StateView& view, Database& database,
                                   std::unique_ptr<StateSource> source, LogLine log)
    : state_(std::make_unique<State>(view, database, std::move(source), std::move(log))) {}

StateTopicRunner::~StateTopicRunner() = default;

void StateTopicRunner::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    state_->step(stop);
    state_->publish_status();
  }
  if (state_->first_pending) state_->flush();
  state_->publish_status();
}

StateTopicStatus StateTopicRunner::status() const {
  const std::lock_guard lock(state_->status_mutex);
  return state_->published;
}

// --- in memory
// -------------------------------------------------------------------------------------

class InMemoryStateTopic::Source final : public StateSource {
 public:
  explicit Source(InMemoryStateTopic& topic) : topic_(topic), next_(topic.partitions_.size()) {}

  std::uint32_t partitions() const override { return static_cast<std::uint32_t>(next_.size()); }

  core::Result<StatePoll> poll(std::chrono::milliseconds timeout) override {
    std::unique_lock lock(topic_.mutex_);
    const auto sought = [](const auto& next) { return next.has_value(); };
    if (!std::all_of(next_.begin(), next_.end(), sought)) return StatePoll{};
    topic_.published_.wait_for(lock, ends_told_ ? timeout : milliseconds(0), [&] {
      for (std::uint32_t i = 0; i < partitions(); ++i) {
        if (*next_[i] < topic_.partitions_[i].size()) return true;
      }
      return false;
    });
    StatePoll result;
    for (std::uint32_t i = 0; i < partitions(); ++i) {
      const auto& records = topic_.partitions_[i];
      for (; *next_[i] < records.size(); ++*next_[i]) result.records.push_back(records[*next_[i]]);
      result.ends_reached.push_back(i);
    }
    ends_told_ = true;
    return result;
  }

  core::Status seek(std::uint32_t partition, core::KafkaOffset offset) override {
    next_.at(partition) = static_cast<std::size_t>(offset.value());
    ends_told_ = false;
    return core::success();
  }

 private:
  InMemoryStateTopic& topic_;
  std::vector<std::optional<std::size_t>> next_;
  bool ends_told_ = false;
};

InMemoryStateTopic::InMemoryStateTopic(std::uint32_t partitions) : partitions_(partitions) {}

core::Status InMemoryStateTopic::publish(const std::vector<StateUpdate>& updates) {
  {
    const std::lock_guard lock(mutex_);
    for (const StateUpdate& update : updates) {
      const auto partition =
          core::log_of(update.key, static_cast<std::uint32_t>(partitions_.size())).value();
      auto& records = partitions_[partition];
      const core::KafkaOffset offset(static_cast<std::int64_t>(records.size()));
      records.push_back({partition, offset, update.key, update.value});
    }
  }
  published_.notify_all();
  return core::success();
}

std::unique_ptr<StateSource> InMemoryStateTopic::source() {
  return std::make_unique<Source>(*this);
}

}  // namespace tideline::eventsourcing
