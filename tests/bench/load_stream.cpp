// What a command pays for the length of its stream: a person follows another and ends it, to and
// fro, behind so many events of that kind. Each command is run as a service runs it, from its load
// to its durable append; the loads are timed alone, too. `--fill` writes the events, and nothing is
// measured while PostgreSQL still works at them.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"
#include "postgres/store/event_store.hpp"
#include "social-graph/domain/follow.hpp"
#include "social-graph/stored_events.hpp"

namespace {

using namespace tideline;
using social_graph::Follow;
using Milliseconds = std::chrono::duration<double, std::milli>;
using SteadyClock = std::chrono::steady_clock;

constexpr std::uint32_t kLogs = 16;
constexpr std::uint64_t kEventsAnAppend = 1000;
constexpr core::AccountId kFollower(core::AccountId::Bytes{1});
constexpr core::AccountId kFollowee(core::AccountId::Bytes{2});

struct Options {
  std::string database;
  std::string stream;
  std::uint64_t fill = 0;
  unsigned commands = 2000;
};

void append_events(postgres::PostgresEventStore& store, const Options& options,
                   core::Timestamp now) {
  const eventsourcing::EventCodec<Follow> codec;
  const std::vector<eventsourcing::NewEvent> both{
      codec.encode(social_graph::Followed{kFollower, kFollowee, false}),
      codec.encode(social_graph::Unfollowed{kFollower, kFollowee})};
  for (std::uint64_t version = 0; version < options.fill; version += kEventsAnAppend) {
    eventsourcing::Append append;
    append.time = now;
    append.streams.push_back({core::StreamId(options.stream), core::StreamVersion(version), {}});
    for (std::uint64_t i = 0; i < kEventsAnAppend; ++i) {
      append.streams[0].events.push_back(both[i % 2]);
    }
    const auto outcome = core::value_of(store.append(std::move(append)));
    if (!std::holds_alternative<eventsourcing::Appended>(outcome)) {
      throw core::Failed(core::internal_error("the stream has begun already"));
    }
  }
}

struct Took {
  double load_ms = 0;
  double command_ms = 0;
};

Took run_one(postgres::PostgresEventStore& store, const Options& options, core::Timestamp now) {
  Took took;
  const auto start = SteadyClock::now();
  const eventsourcing::CommandContext context{now, {}, std::nullopt, std::nullopt};
  const auto outcome = eventsourcing::run_command(
      store, context, [&](eventsourcing::CommandSession& session) -> eventsourcing::CommandResult {
        const eventsourcing::EventCodec<Follow> codec;
        const auto loaded = session.load<Follow>(core::StreamId(options.stream), codec);
        took.load_ms = Milliseconds(SteadyClock::now() - start).count();
        const Follow::Command command =
            loaded.state.following
                ? Follow::Command(social_graph::UnfollowPerson{kFollower, kFollowee})
                : Follow::Command(social_graph::FollowPerson{kFollower, kFollowee});
        session.stage(loaded, Follow::decide(loaded.state, command).events(), codec);
        return eventsourcing::Answer{204, "", "", loaded.stream};
      });
  core::value_of(outcome);
  took.command_ms = Milliseconds(SteadyClock::now() - start).count();
  return took;
}

void print(const Options& options, postgres::PostgresEventStore& store, core::Clock& clock) {
  std::vector<double> loads;
  std::vector<double> commands;
  for (unsigned i = 0; i < options.commands; ++i) {
    const Took took = run_one(store, options, clock.now());
    loads.push_back(took.load_ms);
    commands.push_back(took.command_ms);
  }
  std::printf(R"({"load_p50_ms":%.3f,"load_p99_ms":%.3f,"command_p99_ms":%.3f})"
              "\n",
              bench::percentile(loads, 0.50), bench::percentile(loads, 0.99),
              bench::percentile(commands, 0.99));
}

void run(const Options& options) {
  postgres::DatabaseOptions database_options;
  database_options.conninfo = options.database;
  const std::vector<postgres::MigrationSet> tables{postgres::base_migrations(kLogs)};
  const auto migrated = postgres::migrate(database_options, tables);
  if (!migrated) throw core::Failed(migrated.error());
  postgres::PooledDatabase database(database_options);
  core::SystemClock clock;
  core::SystemRandom random;
  postgres::EventStoreOptions store_options;
  store_options.service = "bench";
  store_options.logs = kLogs;
  postgres::PostgresEventStore store(database, clock, random, store_options);
  if (options.fill > 0) {
    append_events(store, options, clock.now());
    // The first load of a stream finds nothing compacted.
    std::printf("{\"first_load_ms\":%.3f}\n", run_one(store, options, clock.now()).load_ms);
  } else {
    print(options, store, clock);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("load_stream");
  app.add_option("--database", options.database)->required();
  app.add_option("--stream", options.stream, "with --fill one that has not begun")->required();
  app.add_option("--fill", options.fill, "events, in thousands, in place of measuring");
  app.add_option("--commands", options.commands);
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
    return 0;
  } catch (const core::Failed& failed) {
    return bench::failed(failed.error().message);
  }
}
