// A read model rebuilt from a topic: contacts, the projection of social-graph, from 16 partitions.
//   --fill N     publishes the topic: N events over N/4 pairs of people, each pair asked, accepted,
//                ended and asked again, with other pairs in between
//   --mode ours  the operator's rebuild, from nothing to the exchange of the tables
//   --mode bare  a plain librdkafka consumer that counts the records
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/bare_consumer.hpp"
#include "bench/report.hpp"
#include "blocks/blocks.hpp"
#include "core/time_ordered_id.hpp"
#include "kafka/consumer.hpp"
#include "kafka/producer.hpp"
#include "kafka/topics.hpp"
#include "people/people_directory.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"
#include "projections/rebuild/rebuild.hpp"
#include "social-graph/migrations.hpp"
#include "social-graph/projections/graph_projection.hpp"

namespace {

using namespace tideline;
using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::uint32_t kLogs = 16;
constexpr auto kService = "social-graph";

struct Options {
  std::string brokers;
  std::string database;
  std::string mode;
  std::size_t fill = 0;
};

double since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// --- the topic

core::AccountId person(std::uint64_t number) {
  // Spread as keyed hashes are.
  std::array<std::uint8_t, 16> bytes{};
  std::uint64_t mixed = number + 1;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    mixed = mixed * 6364136223846793005U + 1442695040888963407U;
    bytes[i] = static_cast<std::uint8_t>(mixed >> 56U);
  }
  return core::AccountId(bytes);
}

struct Pairs {
  // What happens at `step` (0 to 3) of a pair.
  static void describe(std::size_t pair, std::size_t step, eventsourcing::RecordedEvent& event) {
    const auto from = person(pair % 100'000);
    const auto to = person(pair % 100'000 + pair / 100'000 + 1);
    const auto& [low, high] = std::minmax(from, to);
    event.stream = core::StreamId("contact-" + low.to_string() + "-" + high.to_string());
    const std::string ids =
        R"("from":")" + from.to_string() + R"(","to":")" + to.to_string() + "\"";
    if (step == 1) {
      event.type = "ContactAccepted";
      event.data = "{" + ids + R"(,"first":true})";
    } else if (step == 2) {
      event.type = "ContactRemoved";
      event.data = R"({"by":")" + from.to_string() + R"(","other":")" + to.to_string() + "\"}";
    } else {
      event.type = "ContactRequested";
      event.data = "{" + ids + "}";
    }
    event.version = core::StreamVersion(step + 1);
  }
};

int fill(const Options& options) {
  const auto topic = kafka::events_topic(kService);
  const auto made = kafka::ensure_topics(options.brokers, {{.name = topic, .partitions = kLogs}},
                                         milliseconds(20'000));
  if (!made) return bench::failed(made.error().message);
  std::size_t delivered = 0;
  std::string trouble;
  kafka::LogProducer producer(options.brokers, "tideline-bench-fill", topic,
                              [&](const kafka::LogProducer::Report& report) {
                                ++delivered;
                                if (!report.error.empty()) trouble = report.error;
                              });
  core::SystemClock clock;
  core::SystemRandom random;
  std::array<std::uint64_t, kLogs> positions{};
  eventsourcing::RecordedEvent event;
  event.source = kService;
  event.metadata.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  // A group of pairs takes its steps together: its next one comes this many events later.
  constexpr std::size_t kGroup = 20'000;
  for (std::size_t i = 0; i < options.fill; ++i) {
    Pairs::describe(i / (4 * kGroup) * kGroup + i % kGroup, i / kGroup % 4, event);
    event.log = core::log_of(event.stream.value(), kLogs);
    event.position = core::LogPosition(++positions[event.log.value()]);
    event.time = clock.now();
    event.id = core::make_uuid_v7(event.time, random);
    event.metadata.correlation_id = event.id;
    event.metadata.causation_id = event.id;
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
  return bench::print_rate(static_cast<double>(delivered), 1);
}

// --- ours

int rebuild(const Options& options) {
  postgres::DatabaseOptions with;
  with.conninfo = options.database;
  postgres::PooledDatabase database(with);
  const std::vector<postgres::MigrationSet> model{
      {"people",
       {{1, "person", people::kPersonTableSql},
        {2, "person_profile", people::kPersonProfileTableSql}}},
      {"blocks", {{1, "person_block", blocks::kBlockTableSql}}},
      {"social-graph", social_graph::migrations()}};
  std::vector<postgres::MigrationSet> all{postgres::base_migrations(kLogs)};
  all.insert(all.end(), model.begin(), model.end());
  if (const auto made = postgres::migrate(with, all); !made) {
    return bench::failed(made.error().message);
  }
  projections::RebuildPorts ports{
      .database = database,
      .make_schema =
          [&](const std::string& schema, const std::string& mark) {
            return postgres::migrate_into_schema(with, schema, mark, model);
          },
      .open_source = [&]() -> std::unique_ptr<eventsourcing::RecordSource> {
        return std::make_unique<kafka::KafkaRecordSource>(kafka::ConsumerOptions{
            .brokers = options.brokers, .services = {kService}, .logs = kLogs});
      },
      .report_gap = {},
      .log = {},
      .progress =
          [](const projections::RebuildProgress& progress) {
            std::fprintf(stderr, "%llu/%llu, %.0f/s %s\n",
                         static_cast<unsigned long long>(progress.done),
                         static_cast<unsigned long long>(progress.total), progress.events_per_s,
                         progress.problem.c_str());
          }};
  projections::RebuildOptions wanted;
  wanted.logs = kLogs;
  wanted.mark = "bench";
  // Nothing serves here: the copy is ahead of it, and takes its place.
  wanted.allow_difference = true;
  wanted.live_deadline = milliseconds(0);
  social_graph::GraphProjection projection;
  const auto start = SteadyClock::now();
  const auto report = projections::Rebuild(projection, ports, wanted).run({});
  const double seconds = since(start);
  if (!report) return bench::failed(report.error().message);
  if (!report->switched) return bench::failed(report->finding);
  return bench::print_rate(static_cast<double>(report->events), seconds);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("rebuild");
  app.add_option("--brokers", options.brokers)->required();
  app.add_option("--database", options.database);
  app.add_option("--fill", options.fill);
  app.add_option("--mode", options.mode);
  CLI11_PARSE(app, argc, argv);
  if (options.fill > 0) return fill(options);
  if (options.mode == "ours") return rebuild(options);
  if (options.mode == "bare") {
    const auto start = SteadyClock::now();
    const auto counted =
        bench::count_records(options.brokers, kafka::events_topic(kService), kLogs);
    return bench::print_rate(static_cast<double>(counted), since(start));
  }
  return bench::failed("--fill or --mode");
}
