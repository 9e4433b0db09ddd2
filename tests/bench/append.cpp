// Commands, each appending one event to a new stream: what the store does for one, with --keys for
// one that came with an idempotency key, whose result is stored too. As services do it: the append
// is handed over and its outcome comes by a call (EventStore::append_then), so that so many
// commands are in flight without a thread each.
//
// Without --rate the loops are closed: a writer's next append follows its last answer. With --rate
// appends are due at fixed times, as many at once as there are writers, and latency counts from
// when one was due, so that a stall is seen by all that it delayed.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <latch>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "bench/report.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/store/event_store.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"
#include "postgres/store/event_store.hpp"

namespace {

using namespace tideline;
using SteadyClock = std::chrono::steady_clock;

constexpr std::uint32_t kLogs = 16;

struct Options {
  std::string database;
  unsigned writers = 64;
  double seconds = 5;
  double rate = 0;  // appends a second of all writers together; 0 = as fast as they are answered
  std::size_t data_bytes = 250;
  unsigned streams = 1;  // of one event each, in one append
  bool keys = false;
};

eventsourcing::Append command(core::Timestamp now, const std::string& id, const std::string& data,
                              const Options& options) {
  eventsourcing::Append append;
  append.time = now;
  append.metadata = {id, "", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"};
  for (unsigned i = 0; i < options.streams; ++i) {
    append.streams.push_back(
        {core::StreamId("moment-" + id + "-" + std::to_string(i)),
         core::StreamVersion(0),
         {{"MomentPublished", core::SchemaVersion(1), data, eventsourcing::Visibility::Public}}});
  }
  if (!options.keys) return append;
  append.idempotency = eventsourcing::IdempotencyKey{"aaaaaaaaaaaaaaaaaaaaaaaaaa",
                                                     "POST /v1/moments", id, "0123456789abcdef"};
  append.result = {201, R"({"moment_id":")" + id + "\"}", "/v1/moments/" + id, "\"1\"", {}};
  return append;
}

class Writers {
 public:
  Writers(postgres::PostgresEventStore& store, const Options& options)
      : store_(store),
        options_(options),
        data_(R"({"content":")" + std::string(options.data_bytes, 'x') + "\"}") {}

  // Returns the latencies in milliseconds of all appends.
  std::vector<double> run() {
    start_ = SteadyClock::now();
    end_ = start_ + duration(options_.seconds);
    for (unsigned writer = 0; writer < options_.writers; ++writer) {
      if (options_.rate == 0) append_again();
    }
    if (options_.rate > 0) append_when_due();
    finished_.wait();
    return std::move(latencies_);
  }

  std::uint64_t failures() const { return failures_; }

 private:
  static SteadyClock::duration duration(double seconds) {
    return std::chrono::duration_cast<SteadyClock::duration>(
        std::chrono::duration<double>(seconds));
  }

  // A closed loop, from one answer to the next append.
  void append_again() {
    const auto now = SteadyClock::now();
    if (now >= end_) return finished_.count_down();
    append(now, [this] { append_again(); });
  }

  void append_when_due() {
    for (std::uint64_t number = 0;; ++number) {
      const auto due = start_ + duration(static_cast<double>(number) / options_.rate);
      if (due >= end_) break;
      std::this_thread::sleep_until(due);
      free_.acquire();
      append(due, [this] { free_.release(); });
    }
    for (unsigned writer = 0; writer < options_.writers; ++writer) {
      free_.acquire();
      finished_.count_down();
    }
  }

  template <class Next>
  void append(SteadyClock::time_point due, Next next) {
    const auto now = clock_.now();
    store_.append_then(
        command(now, core::make_uuid_v7(now, random_), data_, options_),
        [this, due, next](const core::Result<eventsourcing::AppendOutcome>& outcome) {
          if (!outcome || !std::holds_alternative<eventsourcing::Appended>(*outcome)) ++failures_;
          const std::chrono::duration<double, std::milli> took = SteadyClock::now() - due;
          latencies_.push_back(took.count());
          next();
        });
  }

  postgres::PostgresEventStore& store_;
  const Options& options_;
  const std::string data_;
  core::SystemClock clock_;
  core::SystemRandom random_;
  SteadyClock::time_point start_;
  SteadyClock::time_point end_;
  std::latch finished_{options_.writers};
  std::counting_semaphore<> free_{options_.writers};
  // Of the store's one appender.
  std::vector<double> latencies_;
  std::atomic<std::uint64_t> failures_{0};
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("append");
  app.add_option("--database", options.database)->required();
  app.add_option("--writers", options.writers);
  app.add_option("--seconds", options.seconds);
  app.add_option("--rate", options.rate);
  app.add_option("--data-bytes", options.data_bytes);
  app.add_option("--streams", options.streams);
  app.add_flag("--keys", options.keys);
  CLI11_PARSE(app, argc, argv);

  postgres::DatabaseOptions database_options;
  database_options.conninfo = options.database;
  const std::vector<postgres::MigrationSet> tables{postgres::base_migrations(kLogs)};
  const auto migrated = postgres::migrate(database_options, tables);
  if (!migrated) return bench::failed(migrated.error().message);
  postgres::PooledDatabase database(database_options);
  core::SystemClock clock;
  core::SystemRandom random;
  postgres::EventStoreOptions store_options;
  store_options.service = "bench";
  store_options.logs = kLogs;
  postgres::PostgresEventStore store(database, clock, random, store_options);

  Writers writers(store, options);
  const auto start = SteadyClock::now();
  std::vector<double> latencies = writers.run();
  const std::chrono::duration<double> took = SteadyClock::now() - start;
  if (writers.failures() > 0) {
    return bench::failed(std::to_string(writers.failures()) + " appends failed");
  }
  const auto appends = latencies.size();
  const double events = static_cast<double>(appends) * options.streams;
  const auto status = store.status();
  std::printf(
      R"({"events":%.0f,"seconds":%.3f,"events_per_s":%.1f,"p50_ms":%.3f,"p99_ms":%.3f,"batches":%llu})"
      "\n",
      events, took.count(), events / took.count(), bench::percentile(latencies, 0.50),
      bench::percentile(latencies, 0.99), static_cast<unsigned long long>(status.batches));
  return 0;
}
