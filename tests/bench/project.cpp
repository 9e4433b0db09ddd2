// One topic of counted events, read to its end in one of three ways:
//   --fill N     publishes it: N events of --data-bytes over --keys streams, in 16 partitions
//   --mode sql     a projection with a table: one row a stream, upserted at every flush
//   --mode memory  a projection without: a count a stream
//   --mode bare    a plain librdkafka consumer that counts records
// The first two are driven by the real runner over the real consumer. What is timed begins with the
// making of the consumer and ends with the last event: committed, applied, or counted.
#include <absl/container/flat_hash_map.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/bare_consumer.hpp"
#include "bench/report.hpp"
#include "core/time_ordered_id.hpp"
#include "kafka/consumer.hpp"
#include "kafka/producer.hpp"
#include "kafka/topics.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"
#include "projections/runner/projection_runner.hpp"

namespace {

using namespace tideline;
using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::uint32_t kLogs = 16;
constexpr auto kService = "bench";
constexpr milliseconds kDeadline{300'000};

struct Options {
  std::string brokers;
  std::string database;
  std::string mode;
  std::size_t fill = 0;
  std::size_t keys = 10'000;
  std::size_t data_bytes = 250;
};

// --- the topic

int fill(const Options& options) {
  const auto made = kafka::ensure_topics(
      options.brokers, {{.name = kafka::events_topic(kService), .partitions = kLogs}},
      milliseconds(20'000));
  if (!made) return bench::failed(made.error().message);
  std::size_t delivered = 0;
  std::string trouble;
  kafka::LogProducer producer(options.brokers, "tideline-bench-fill", kafka::events_topic(kService),
                              [&](const kafka::LogProducer::Report& report) {
                                ++delivered;
                                if (!report.error.empty()) trouble = report.error;
                              });
  core::SystemClock clock;
  core::SystemRandom random;
  std::array<std::uint64_t, kLogs> positions{};
  std::vector<std::uint64_t> versions(options.keys);
  eventsourcing::RecordedEvent event;
  event.source = kService;
  event.type = "PointsEarned";
  event.metadata.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const std::string text(options.data_bytes, 'x');
  for (std::size_t i = 0; i < options.fill; ++i) {
    const std::size_t key = (i * 7919) % options.keys;
    event.stream = core::StreamId("counter-" + std::to_string(key));
    event.log = core::log_of(event.stream.value(), kLogs);
    event.position = core::LogPosition(++positions[event.log.value()]);
    event.version = core::StreamVersion(++versions[key]);
    event.time = clock.now();
    event.id = core::make_uuid_v7(event.time, random);
    event.metadata.correlation_id = event.id;
    event.metadata.causation_id = event.id;
    event.data = R"({"text":")" + text + "\"}";
    while (true) {
      const auto taken = producer.produce(event);
      if (!taken) return bench::failed(taken.error().message);
      if (*taken) break;
      producer.poll(milliseconds(10));
    }
    if (i % 1000 == 0) producer.poll(milliseconds(0));
  }
  while (delivered < options.fill && trouble.empty()) producer.poll(milliseconds(100));
  if (!trouble.empty()) return bench::failed(trouble);
  std::printf("{\"events\":%zu}\n", delivered);
  return 0;
}

// --- ours

class Counters : public eventsourcing::Projection {
 public:
  std::string_view name() const override { return "counters"; }
  std::vector<std::string> sources() const override { return {kService}; }
  void apply(const eventsourcing::RecordedEvent& event) override {
    ++counts_[event.stream.value()];
  }

 protected:
  absl::flat_hash_map<std::string, std::int64_t> counts_;
};

class CountersInMemory final : public Counters {
 public:
  bool durable() const override { return false; }
  void load(sql::Transaction&) override { counts_.clear(); }
  void flush(sql::Transaction&) override {}
};

class CountersInTable final : public Counters {
 public:
  eventsourcing::FlushPolicy flush_policy() const override { return {milliseconds(500), 100'000}; }
  void load(sql::Transaction&) override { counts_.clear(); }
  void flush(sql::Transaction& transaction) override {
    const std::map<std::string, std::int64_t> sorted(counts_.begin(), counts_.end());
    std::vector<std::string> names;
    std::vector<std::int64_t> deltas;
    for (const auto& [name, delta] : sorted) {
      names.push_back(name);
      deltas.push_back(delta);
    }
    transaction.execute(
        "INSERT INTO counter AS held (name, count)"
        " SELECT * FROM unnest($1::text[], $2::bigint[])"
        " ON CONFLICT (name) DO UPDATE SET count = held.count + excluded.count",
        {names, deltas});
  }
  void flushed() override { counts_.clear(); }
};

core::Status empty_tables(postgres::PooledDatabase& database) {
  const std::vector<postgres::MigrationSet> tables{postgres::base_migrations(kLogs)};
  auto status = postgres::migrate(database.options(), tables);
  if (!status) return status;
  return database.transact([](sql::Transaction& transaction) {
    transaction.execute(
        "CREATE TABLE IF NOT EXISTS counter (name text COLLATE \"C\" PRIMARY KEY, count bigint NOT "
        "NULL)");
    transaction.execute("TRUNCATE counter, projection_checkpoint");
  });
}

int project(const Options& options) {
  postgres::DatabaseOptions database_options;
  database_options.conninfo = options.database;
  postgres::PooledDatabase database(database_options);
  const auto emptied = empty_tables(database);
  if (!emptied) return bench::failed(emptied.error().message);
  std::unique_ptr<Counters> projection;
  if (options.mode == "sql") {
    projection = std::make_unique<CountersInTable>();
  } else {
    projection = std::make_unique<CountersInMemory>();
  }

  const auto start = SteadyClock::now();
  auto source = std::make_unique<kafka::KafkaRecordSource>(
      kafka::ConsumerOptions{.brokers = options.brokers, .services = {kService}, .logs = kLogs});
  // Every position of a log is one record of its partition, so its end is the last one's position.
  const auto ends = source->end_offsets();
  if (!ends) return bench::failed(ends.error().message);
  eventsourcing::PositionVector all;
  std::uint64_t events = 0;
  for (const auto& [partition, end] : *ends) {
    const auto position = static_cast<std::uint64_t>(end.value());
    all.raise(partition.service, partition.log, core::LogPosition(position));
    events += position;
  }
  projections::ProjectionRunner runner(*projection, {database, std::move(source), {}, {}}, kLogs);
  std::jthread thread([&](std::stop_token stop) { runner.run(stop); });
  const bool done = runner.applied().wait_for(all, kDeadline);
  const std::chrono::duration<double> took = SteadyClock::now() - start;
  if (!done) return bench::failed("not done in time: " + runner.status().last_problem);
  thread.request_stop();
  thread.join();
  return bench::print_rate(static_cast<double>(events), took.count());
}

// --- the peer

int count_bare(const Options& options) {
  const auto start = SteadyClock::now();
  const auto counted = bench::count_records(options.brokers, kafka::events_topic(kService), kLogs);
  const std::chrono::duration<double> took = SteadyClock::now() - start;
  return bench::print_rate(static_cast<double>(counted), took.count());
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("project");
  app.add_option("--brokers", options.brokers)->required();
  app.add_option("--database", options.database);
  app.add_option("--fill", options.fill);
  app.add_option("--mode", options.mode);
  app.add_option("--keys", options.keys);
  app.add_option("--data-bytes", options.data_bytes);
  CLI11_PARSE(app, argc, argv);
  if (options.fill > 0) return fill(options);
  if (options.mode == "bare") return count_bare(options);
  if (options.mode == "sql" || options.mode == "memory") return project(options);
  return bench::failed("--fill or --mode");
}
