// A start of the scoring engine from its snapshot, or from its table.
//   fill      copies --members people into the table of --database and takes a snapshot of it into
//             --folder
//   snapshot  takes a snapshot of what --database holds into --folder
//   start     loads the engine and says the first rank; from the snapshot, or with --tables without
//             it; then writes --flushes, each of 100,000 people, and says how long it takes, and
//             the folding behind it
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/score_database.hpp"
#include "core/random.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"
#include "scoring/api/stored_rules.hpp"
#include "scoring/projections/engine/score_engine.hpp"
#include "scoring/projections/snapshot/snapshot_take.hpp"

namespace {

using namespace tideline;
using namespace tideline::bench;
using SteadyClock = std::chrono::steady_clock;

double since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

core::Result<std::filesystem::path> take(postgres::PooledDatabase& database,
                                         const std::string& folder, core::Timestamp now) {
  return scoring::take_snapshot(database, scoring::SnapshotFolder(folder),
                                {now, core::utc_day(now)}, 1);
}

int fill(const std::string& conninfo, const std::string& folder, std::uint32_t members) {
  postgres::PooledDatabase database(scoring_database(conninfo));
  const core::Timestamp now = core::SystemClock().now();
  auto start = SteadyClock::now();
  const auto copied = database.transact(
      [&](sql::Transaction& transaction) { copy_people(transaction, members, now); });
  if (!copied) return failed(copied.error().message);
  const double copy = since(start);
  start = SteadyClock::now();
  const auto file = take(database, folder, now);
  if (!file) return failed(file.error().message);
  std::printf("{\"copy_s\":%.3f,\"snapshot_s\":%.3f,\"bytes\":%ju}\n", copy, since(start),
              std::filesystem::file_size(*file));
  return 0;
}

int snapshot(const std::string& conninfo, const std::string& folder) {
  postgres::PooledDatabase database(scoring_database(conninfo));
  const auto file = take(database, folder, core::SystemClock().now());
  return file ? 0 : failed(file.error().message);
}

int start(const std::string& conninfo, const std::string& folder, std::uint32_t flushes) {
  postgres::DatabaseOptions options;
  options.conninfo = conninfo;
  options.statement_timeout = std::chrono::milliseconds(0);
  postgres::PooledDatabase database(options);
  const core::SystemClock clock;
  const core::UtcCalendar campus;
  scoring::EngineOptions made;
  made.snapshots = scoring::SnapshotFolder(folder);
  core::SystemRandom random;
  eventsourcing::InMemoryEventStore store("scoring", 1, clock, random);
  scoring::StoredRules rules(store, clock);
  scoring::ScoreEngine engine(rules, campus, clock, made);
  const auto loaded =
      database.transact([&](sql::Transaction& transaction) { engine.load(transaction); });
  if (!loaded) return failed(loaded.error().message);
  if (engine.status().load.from_snapshot != !folder.empty()) return failed("not loaded from there");
  const auto total = engine.total(numbered_account(0));
  std::printf("{\"rank\":%ju,\"members\":%ju}\n", std::uintmax_t{total.rank.value_or(0)},
              std::uintmax_t{total.members});
  std::fflush(stdout);
  const auto members = static_cast<std::uint32_t>(total.members);
  for (std::uint32_t turn = 0; turn < flushes; ++turn) {
    const FlushTimes times = measure_flush(engine, database, members, clock.now(), turn);
    std::printf("{\"flush_s\":%.4f,\"fold_s\":%.4f}\n", times.flush_s, times.fold_s);
    std::fflush(stdout);
  }
  // Without giving the memory back piece by piece, which nobody waits for.
  std::_Exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Starts of the scoring engine");
  std::uint32_t members = 1'000'000;
  std::string database;
  std::string folder;
  app.add_option("--members", members);
  app.add_option("--database", database)->required();
  app.add_option("--folder", folder)->required();
  auto* filling = app.add_subcommand("fill");
  auto* snapshotting = app.add_subcommand("snapshot");
  auto* starting = app.add_subcommand("start");
  bool tables = false;
  std::uint32_t flushes = 0;
  starting->add_flag("--tables", tables);
  starting->add_option("--flushes", flushes);
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  if (filling->parsed()) return fill(database, folder, members);
  if (snapshotting->parsed()) return snapshot(database, folder);
  return start(database, tables ? "" : folder, flushes);
}
