#include <unistd.h>

#include <CLI/CLI.hpp>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "runtime/composition.hpp"
#include "runtime/service.hpp"
#include "scoring/api/routes.hpp"
#include "scoring/api/statistics_json.hpp"
#include "scoring/api/stored_rules.hpp"
#include "scoring/migrations.hpp"
#include "scoring/projections/engine/score_engine.hpp"
#include "scoring/projections/rating_projection.hpp"
#include "scoring/projections/score_feed.hpp"
#include "scoring/projections/snapshot/snapshot_take.hpp"
#include "scoring/settings.hpp"

namespace {

using namespace tideline;

void show_metrics(observability::Metrics& metrics, const scoring::ScoreEngine& engine) {
  auto members = metrics.gauge("tideline_scoring_board_members", "people on the board");
  auto band =
      metrics.gauge("tideline_scoring_band_members", "people whose lists are kept in order");
  auto counters = metrics.gauge("tideline_scoring_cap_counters", "daily counters in memory");
  auto pending = metrics.gauge("tideline_scoring_pending_changes", "changes not in the tables yet");
  auto departments = metrics.gauge("tideline_scoring_departments", "departments with a board");
  auto periods =
      metrics.gauge("tideline_scoring_periods",
                    "days, weeks and months with a board; more than nine: of times ahead");
  auto bytes = metrics.gauges("tideline_scoring_memory_bytes",
                              "memory of what is known of people, and of boards", {"part"});
  auto awards = metrics.gauges("tideline_scoring_awards",
                               "awards since the start, by reason and whether behind the cap",
                               {"reason", "capped"});
  metrics.before_render([=, &engine] {
    const auto status = engine.status();
    members.set(static_cast<double>(status.members));
    band.set(static_cast<double>(status.band));
    counters.set(static_cast<double>(status.cap_counters));
    pending.set(static_cast<double>(status.pending_changes));
    departments.set(static_cast<double>(status.departments));
    periods.set(static_cast<double>(status.periods));
    bytes.with({"people"}).set(static_cast<double>(status.bytes.people));
    bytes.with({"all-time"}).set(static_cast<double>(status.bytes.all_time));
    bytes.with({"periods"}).set(static_cast<double>(status.bytes.periods));
    bytes.with({"departments"}).set(static_cast<double>(status.bytes.departments));
    for (std::size_t i = 0; i < scoring::kReasonCount; ++i) {
      const auto reason = scoring::name_of(static_cast<scoring::Reason>(i));
      awards.with({reason, "no"}).set(static_cast<double>(status.awards[i]));
      awards.with({reason, "yes"}).set(static_cast<double>(status.capped[i]));
    }
  });
}

void show_snapshots(runtime::ServiceContext& context, const scoring::ScoreEngine& engine,
                    const scoring::SnapshotFolder& folder) {
  auto& metrics = context.metrics();
  auto age = metrics.gauge("tideline_scoring_snapshot_age_seconds", "of the newest snapshot");
  auto bytes = metrics.gauge("tideline_scoring_snapshot_bytes", "of the newest snapshot");
  auto taken = metrics.gauge("tideline_scoring_snapshot_seconds",
                             "from the moment that the newest snapshot shows to its end");
  auto load =
      metrics.gauges("tideline_scoring_load_seconds",
                     "that the last load of the memory took, by where it came from", {"from"});
  metrics.before_render([=, &engine, &clock = context.clock()] {
    const auto seconds = [](auto time) { return std::chrono::duration<double>(time).count(); };
    const auto last = engine.status().load;
    load.with({"snapshot"}).set(last.from_snapshot ? last.seconds : 0);
    load.with({"tables"}).set(last.from_snapshot ? 0 : last.seconds);
    const auto newest = folder.newest();
    if (!newest) return;
    age.set(seconds(clock.now() - newest->taken_at));
    bytes.set(static_cast<double>(newest->bytes));
    taken.set(seconds(newest->written_at - newest->taken_at));
  });
}

auto tell_load(observability::Log log) {
  return [log](const std::filesystem::path& file, const core::Result<scoring::Restored>& restored) {
    if (!restored) {
      log.warning("a snapshot is not used",
                  {{"file", file.string()}, {"reason", restored.error().message}});
      return;
    }
    log.info("loaded from a snapshot", {{"file", file.string()},
                                        {"people", static_cast<std::int64_t>(restored->people)},
                                        {"changed", static_cast<std::int64_t>(restored->changed)}});
  };
}

core::Status take_snapshot(runtime::RunningService& service, const scoring::Settings& settings) {
  const scoring::SnapshotFolder& folder = settings.engine.snapshots;
  const auto lock = folder.lock();
  if (!lock) return lock.error();
  const core::Timestamp now = service.clock().now();
  const auto file = scoring::take_snapshot(
      service.database(), folder, {now, service.campus().day_of(now)}, settings.snapshots_kept);
  if (!file) return file.error();
  const auto rules = scoring::StoredRules(service.store(), service.clock()).read();
  if (!rules) return rules.error();
  const auto statistics =
      scoring::statistics_of(*file, rules->book.on(service.campus().day_of(now)).levels);
  if (!statistics) return statistics.error();
  const auto put = folder.put_statistics(scoring::statistics_json(*statistics));
  if (!put) return put;
  const std::chrono::duration<double> took = service.clock().now() - now;
  std::printf("%s\n", nlohmann::json{{"file", file->string()},
                                     {"bytes", std::filesystem::file_size(*file)},
                                     {"members", statistics->members},
                                     {"seconds", took.count()}}
                          .dump()
                          .c_str());
  std::fflush(stdout);
  return core::success();
}

int take_snapshots(runtime::RunningService& service, std::stop_token stop,
                   const scoring::Settings& settings, bool once) {
  if (!settings.engine.snapshots.is_there()) {
    std::fprintf(stderr, "TIDELINE_SCORING_SNAPSHOT_FOLDER is not set\n");
    return 1;
  }
  // Whoever serves on this machine comes first; where that is not granted, it goes without.
  constexpr int kNiceness = 10;
  [[maybe_unused]] const int niceness = ::nice(kNiceness);
  std::mutex mutex;
  std::condition_variable_any stopped;
  while (true) {
    const auto taken = take_snapshot(service, settings);
    if (!taken) {
      service.log("snapshot").error("no snapshot", {{"reason", taken.error().message}});
    }
    if (once) return taken ? 0 : 1;
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, stop, settings.snapshot_interval, [] { return false; });
    if (stop.stop_requested()) return 0;
  }
}

runtime::Operation snapshot_operation(const scoring::Settings& settings) {
  const auto declare = [&settings](CLI::App& command) -> runtime::Operation::Run {
    const auto once = std::make_shared<bool>(false);
    command.add_flag("--once", *once, "a single one, instead of one in every interval");
    return [&settings, once](runtime::RunningService& service, std::stop_token stop) {
      return take_snapshots(service, std::move(stop), settings, *once);
    };
  };
  return {"snapshot", "take snapshots of the points, and compute statistics of them", declare};
}

}  // namespace

int main(int argc, char** argv) {
  scoring::Settings settings;
  return runtime::run_service(
      argc, argv,
      {.name = "scoring",
       .version = TIDELINE_VERSION,
       .migrations = scoring::migrations(),
       .read_settings = [&](core::Config& config) { settings = scoring::Settings::read(config); },
       .compose =
           [&](runtime::ServiceContext& context) {
             auto& rules = context.make<scoring::StoredRules>(context.store(), context.clock());
             settings.engine.tell_load = tell_load(context.log("scores"));
             auto made = std::make_unique<scoring::ScoreEngine>(rules, context.campus(),
                                                                context.clock(), settings.engine);
             scoring::ScoreEngine& engine = *made;
             context.on_department(
                 [&engine](const core::AccountId& account, std::string_view department) {
                   engine.set_department(account, department);
                 });
             const auto scores = context.add_projection(std::move(made));
             show_metrics(context.metrics(), engine);
             show_snapshots(context, engine, settings.engine.snapshots);
             context.add_projection(std::make_unique<scoring::ScoreFeed>(
                 scoring::ScoreFeedPorts{
                     .scores = engine,
                     .committed = scores.committed,
                     .caught_up =
                         [status = context.status_of("scores")] { return status().caught_up_once; },
                     .topic = context.state_publisher(runtime::StateTopic::Scores),
                     .campus = context.campus(),
                     .clock = context.clock()},
                 settings.feed));
             const auto ratings =
                 context.add_projection(std::make_unique<scoring::RatingProjection>());
             scoring::add_routes(context.router(), {.commands = context.commands(),
                                                    .database = context.database(),
                                                    .clock = context.clock(),
                                                    .random = context.random(),
                                                    .campus = context.campus(),
                                                    .account_ids = context.account_ids(),
                                                    .people = context.people(),
                                                    .scores = engine,
                                                    .people_applied = context.people_applied(),
                                                    .scores_in_memory = scores.in_memory,
                                                    .scores_committed = scores.committed,
                                                    .ratings_applied = ratings.committed,
                                                    .rank_exact_max = settings.rank_exact_max,
                                                    .snapshots = settings.engine.snapshots});
           },
       .operations = {snapshot_operation(settings)}});
}
