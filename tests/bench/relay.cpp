// Publishes events, by the relay or by its bare peer:
//
//   fill     appends --events events, the backlog
//   backlog  publishes them: from the publisher's start to the last acknowledgement
//   latency  appends and publishes --rate events a second for --seconds (0 = as fast as they are
//            appended): from commit (bare: from produce()) until a consumer has the event
//
// --topic names a topic of its own for each invocation; --bare chooses the peer.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "bench/bare_producer.hpp"
#include "bench/report.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"
#include "core/time_ordered_id.hpp"
#include "kafka/consumer.hpp"
#include "kafka/relay.hpp"
#include "kafka/topics.hpp"
#include "postgres/migrations/migrations.hpp"
#include "postgres/store/event_store.hpp"
#include "postgres/store/relay_checkpoints.hpp"

namespace {

using namespace tideline;
using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr std::uint32_t kLogs = 16;
constexpr std::size_t kDataBytes = 250;
constexpr std::size_t kFillBatch = 2000;
constexpr std::size_t kWriters = 64;
constexpr double kWarmUpS = 1;
constexpr auto kStall = 20s;

struct Options {
  std::string database;
  std::string brokers;
  std::string topic;  // "<name>" is published to "tideline.<name>"
  std::size_t events = 300'000;
  double rate = 0;
  double seconds = 5;
  bool bare = false;
};

template <class T>
T must(core::Result<T> result) {
  if (!result.ok()) std::exit(bench::failed(result.error().message));
  return std::move(result).value();
}

double seconds_between(SteadyClock::time_point begin, SteadyClock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

struct Source {
  explicit Source(const Options& options)
      : pool(pool_options(options)),
        store(pool, clock, random, store_options(options)),
        checkpoints(pool.options()) {
    const std::vector<postgres::MigrationSet> tables{postgres::base_migrations(kLogs)};
    must(postgres::migrate(pool.options(), tables));
  }
  static postgres::DatabaseOptions pool_options(const Options& options) {
    postgres::DatabaseOptions with;
    with.conninfo = options.database;
    return with;
  }
  static postgres::EventStoreOptions store_options(const Options& options) {
    postgres::EventStoreOptions with;
    with.service = options.topic;
    with.logs = kLogs;
    return with;
  }

  core::SystemClock clock;
  core::SystemRandom random;
  postgres::PooledDatabase pool;
  postgres::PostgresEventStore store;
  postgres::PostgresRelayCheckpoints checkpoints;
};

// {"number":"17","text":"xxx..."}
constexpr std::size_t kNumberAt = 11;

std::string data_of(std::size_t number) {
  std::string data = R"({"number":")" + std::to_string(number) + R"(","text":")";
  data.append(kDataBytes - data.size() - 2, 'x');
  return data + "\"}";
}

std::size_t number_in(const std::string& data) {
  std::size_t number = 0;
  std::from_chars(data.data() + kNumberAt, data.data() + data.size(), number);
  return number;
}

eventsourcing::Append append_of(Source& source, std::size_t first, std::size_t count) {
  eventsourcing::Append append;
  append.time = source.clock.now();
  append.metadata = {core::make_uuid_v7(append.time, source.random), "",
                     "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"};
  for (std::size_t i = first; i < first + count; ++i) {
    const std::string id = core::make_uuid_v7(append.time, source.random);
    append.streams.push_back({core::StreamId("moment-" + id),
                              core::StreamVersion(0),
                              {{"MomentPublished", core::SchemaVersion(1), data_of(i),
                                eventsourcing::Visibility::Public}}});
  }
  return append;
}

void must_be_appended(core::Result<eventsourcing::AppendOutcome> outcome) {
  if (!std::holds_alternative<eventsourcing::Appended>(must(std::move(outcome)))) {
    std::exit(bench::failed("somebody else appends too"));
  }
}

int fill(const Options& options) {
  Source source(options);
  for (std::size_t done = 0; done < options.events; done += kFillBatch) {
    const std::size_t count = std::min(kFillBatch, options.events - done);
    must_be_appended(source.store.append(append_of(source, done, count)));
  }
  // As autovacuum would do in the middle of a round.
  must(source.pool.query("ANALYZE event", {}));
  std::printf("{\"events\":%zu}\n", options.events);
  return 0;
}

class RunningRelay {
 public:
  RunningRelay(Source& source, const Options& options)
      : relay_({source.store, source.checkpoints, say}, relay_options(options)),
        thread_([this](const std::stop_token& stop) { relay_.run(stop); }) {}

  void await(std::uint64_t published) {
    while (relay_.status().published < published) {
      if (!relay_.status().fatal.empty()) std::exit(bench::failed(relay_.status().fatal));
      std::this_thread::sleep_for(1ms);
    }
  }

 private:
  static kafka::RelayOptions relay_options(const Options& options) {
    kafka::RelayOptions with;
    with.brokers = options.brokers;
    with.service = options.topic;
    return with;
  }
  static void say(std::string_view, const std::string& text) {
    std::fprintf(stderr, "relay: %s\n", text.c_str());
  }

  kafka::Relay relay_;
  std::jthread thread_;
};

void make_topics(const Options& options) {
  must(kafka::ensure_topics(options.brokers,
                            {{.name = kafka::events_topic(options.topic), .partitions = kLogs},
                             {.name = kafka::kGapsTopic}},
                            20s));
  // A partition that has just been made has no leader for a moment.
  kafka::KafkaRecordSource reader(
      {.brokers = options.brokers, .services = {options.topic}, .logs = kLogs});
  while (!reader.end_offsets().ok()) std::this_thread::sleep_for(20ms);
}

std::vector<bench::BareRecord> records_of(Source& source,
                                          const std::vector<core::LogPosition>& heads) {
  std::vector<bench::BareRecord> records;
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    for (core::LogPosition after; after < heads[log];) {
      for (const auto& event : must(source.store.read_log(core::LogIndex(log), after, 5000))) {
        records.emplace_back(event);
        after = event.position;
      }
    }
  }
  return records;
}

int backlog(const Options& options) {
  Source source(options);
  make_topics(options);
  must(source.pool.transact([](sql::Transaction& transaction) {
    transaction.execute("UPDATE relay_checkpoint SET position = 0");
  }));
  const auto heads = must(source.store.heads());
  std::size_t events = 0;
  for (const auto& head : heads) events += head.value();
  // The peer has its records in memory, encoded, before its time begins.
  const auto records = options.bare ? records_of(source, heads) : std::vector<bench::BareRecord>{};
  const auto begin = SteadyClock::now();
  if (options.bare) {
    bench::BareProducer producer(options.brokers, kafka::events_topic(options.topic));
    for (const auto& record : records) producer.produce(record);
    while (producer.delivered() < records.size()) producer.poll(10);
  } else {
    RunningRelay relay(source, options);
    relay.await(events);
  }
  const double seconds = seconds_between(begin, SteadyClock::now());
  return bench::print_rate(static_cast<double>(events), seconds);
}

// When each event was committed and when a consumer had it, by number.
class Journeys {
 public:
  Journeys(const Options& options, std::size_t count_max)
      : options_(options),
        begun_(count_max),
        arrived_(count_max),
        thread_([this](const std::stop_token& stop) { consume(stop); }) {}

  bool takes(std::size_t number) const { return number < begun_.size(); }
  void begin(std::size_t number) { begun_[number] = SteadyClock::now(); }
  void await(std::size_t count) {
    for (auto end = SteadyClock::now() + kStall; consumed_ < count;) {
      if (SteadyClock::now() > end) std::exit(bench::failed("the consumer misses events"));
      std::this_thread::sleep_for(1ms);
    }
  }
  std::vector<double> latencies_ms(SteadyClock::time_point from, std::size_t count) const {
    std::vector<double> all;
    for (std::size_t i = 0; i < count; ++i) {
      if (begun_[i] < from) continue;
      // A consumer may have an event before its writer has heard of the commit.
      all.push_back(std::max(0.0, 1000 * seconds_between(begun_[i], arrived_[i])));
    }
    return all;
  }

 private:
  void consume(const std::stop_token& stop) {
    kafka::KafkaRecordSource source(
        {.brokers = options_.brokers, .services = {options_.topic}, .logs = kLogs});
    const auto assigned = must(source.poll(0ms));
    for (const auto& partition : assigned.assigned) {
      must(source.seek(partition, core::KafkaOffset(0)));
    }
    while (!stop.stop_requested()) {
      const auto polled = source.poll(50ms);
      if (!polled.ok()) continue;
      const auto now = SteadyClock::now();
      for (const auto& record : polled->records) arrived_[number_in(record.event.data)] = now;
      consumed_ += polled->records.size();
    }
  }

  const Options& options_;
  std::vector<SteadyClock::time_point> begun_;
  std::vector<SteadyClock::time_point> arrived_;
  std::atomic<std::size_t> consumed_{0};
  std::jthread thread_;
};

// Calls work(number) at the due times of --rate, or one after the other, until the time is over.
// Returns how often.
std::size_t at_rate(const Options& options, const Journeys& journeys,
                    const std::function<void(std::size_t)>& work) {
  const auto start = SteadyClock::now();
  const auto end = start + std::chrono::duration_cast<SteadyClock::duration>(
                               std::chrono::duration<double>(options.seconds + kWarmUpS));
  std::size_t number = 0;
  for (; SteadyClock::now() < end && journeys.takes(number); ++number) {
    if (options.rate > 0) {
      std::this_thread::sleep_until(
          start + std::chrono::duration_cast<SteadyClock::duration>(
                      std::chrono::duration<double>(static_cast<double>(number) / options.rate)));
    }
    work(number);
  }
  return number;
}

int latency(const Options& options) {
  constexpr double kRateMax = 100'000;
  const double rate = options.rate > 0 ? options.rate : kRateMax;
  Source source(options);
  make_topics(options);
  const auto count_max =
      static_cast<std::size_t>(rate * (options.seconds + kWarmUpS)) + 2 * kWriters;
  Journeys journeys(options, count_max);
  std::vector<bench::BareRecord> records;
  const auto prepared = [&](std::size_t number) {
    eventsourcing::RecordedEvent event;
    event.id = core::make_uuid_v7(source.clock.now(), source.random);
    event.source = options.topic;
    event.type = "MomentPublished";
    event.stream = core::StreamId("moment-" + event.id);
    event.version = core::StreamVersion(1);
    event.log = core::LogIndex(static_cast<std::uint32_t>(number % kLogs));
    event.position = core::LogPosition(number / kLogs + 1);
    event.time = source.clock.now();
    event.metadata = {event.id, "", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"};
    event.data = data_of(number);
    return bench::BareRecord(event);
  };
  const auto begin = SteadyClock::now();
  std::size_t count = 0;
  if (options.bare) {
    bench::BareProducer producer(options.brokers, kafka::events_topic(options.topic));
    count = at_rate(options, journeys, [&](std::size_t number) {
      const auto record = prepared(number);
      journeys.begin(number);
      producer.produce(record);
    });
    while (producer.delivered() < count) producer.poll(10);
    journeys.await(count);
  } else {
    RunningRelay relay(source, options);
    std::counting_semaphore<> free{kWriters};
    count = at_rate(options, journeys, [&](std::size_t number) {
      free.acquire();
      source.store.append_then(append_of(source, number, 1), [&, number](auto outcome) {
        must_be_appended(std::move(outcome));
        journeys.begin(number);
        free.release();
      });
    });
    for (std::size_t i = 0; i < kWriters; ++i) free.acquire();
    journeys.await(count);
  }
  const auto warm = begin + std::chrono::duration_cast<SteadyClock::duration>(
                                std::chrono::duration<double>(kWarmUpS));
  std::vector<double> latencies = journeys.latencies_ms(warm, count);
  std::printf("{\"events\":%zu,\"events_per_s\":%.1f,\"p50_ms\":%.3f,\"p99_ms\":%.3f}\n", count,
              static_cast<double>(count) / seconds_between(begin, SteadyClock::now()),
              bench::percentile(latencies, 0.50), bench::percentile(latencies, 0.99));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("relay");
  std::map<std::string, int (*)(const Options&)> commands = {
      {"fill", fill}, {"backlog", backlog}, {"latency", latency}};
  for (const auto& [name, run] : commands) {
    CLI::App* command = app.add_subcommand(name);
    command->add_option("--database", options.database)->required();
    command->add_option("--brokers", options.brokers);
    command->add_option("--topic", options.topic)->required();
    command->add_option("--events", options.events);
    command->add_option("--rate", options.rate);
    command->add_option("--seconds", options.seconds);
    command->add_flag("--bare", options.bare);
  }
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  return commands.at(app.get_subcommands().front()->get_name())(options);
}
