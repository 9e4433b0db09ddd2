#include <signal.h>
#include <unistd.h>

#include <memory>

#include "blocks/block_model.hpp"
#include "core/clock.hpp"
#include "runtime/composition.hpp"
#include "runtime/service.hpp"
#include "runtime/snapshots.hpp"
#include "scoring/api/routes.hpp"
#include "scoring/api/snapshot_taking.hpp"
#include "scoring/api/stored_rules.hpp"
#include "scoring/fence/fence.hpp"
#include "scoring/migrations.hpp"
#include "scoring/projections/engine/score_engine.hpp"
#include "scoring/projections/rating_projection.hpp"
#include "scoring/projections/score_publisher.hpp"
#include "scoring/settings.hpp"

namespace {

using namespace tideline;

void show_metrics(observability::Metrics& metrics, const scoring::ScoreEngine& engine) {
  using Status = scoring::EngineStatus;
  metrics.show(
      [&engine] { return engine.status(); },
      {{"tideline_scoring_board_members", "people on the board", &Status::members},
       {"tideline_scoring_band_members", "people whose lists are kept in order", &Status::band},
       {"tideline_scoring_cap_counters", "daily counters in memory", &Status::cap_counters},
       {"tideline_scoring_pending_changes", "changes not in the tables yet",
        &Status::pending_changes},
       {"tideline_scoring_flushes_pending",
        "flushes whose totals and days are not folded into their tables yet",
        &Status::flushes_pending},
       {"tideline_scoring_departments", "departments that somebody is or was in",
        &Status::departments},
       {"tideline_scoring_periods",
        "days, weeks and months with a board; more than nine: of times ahead", &Status::periods}});
  auto bytes = metrics.gauges("tideline_scoring_memory_bytes",
                              "memory of what is known of people, and of boards", {"part"});
  auto awards = metrics.gauges("tideline_scoring_awards",
                               "awards since the start, by reason and whether behind the cap",
                               {"reason", "capped"});
  metrics.before_render([=, &engine] {
    const auto status = engine.status();
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

void show_load(observability::Metrics& metrics, const scoring::ScoreEngine& engine) {
  auto load =
      metrics.gauges("tideline_scoring_load_seconds",
                     "that the last load of the memory took, by where it came from", {"from"});
  metrics.before_render([=, &engine] {
    const auto last = engine.status().load;
    load.with({"snapshot"}).set(last.from_snapshot ? last.seconds : 0);
    load.with({"tables"}).set(last.from_snapshot ? 0 : last.seconds);
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

// Nothing is answered, and no event read, before this process is the only one.
void add_fence(runtime::ServiceContext& context, const scoring::FenceOptions& options) {
  if (options.holder.empty()) return;
  auto& fence = context.make<scoring::Fence>(
      scoring::Fence::Ports{.database = context.database(),
                            .time_since_boot = core::time_since_boot,
                            // As if somebody had asked it to end: whoever runs it starts it again.
                            .on_lost = [] { kill(getpid(), SIGTERM); },
                            .log = context.log_lines("fence")},
      options);
  context.before_serving([&fence] { fence.wait(); });
  context.router().set_good_until([&fence] { return fence.good_until(); });
  context.add_background("fence", [&fence](std::stop_token stop) { fence.run(std::move(stop)); });
  context.add_health("fence", [&fence] {
    const bool holds = core::time_since_boot() < fence.good_until();
    return runtime::PartHealth{holds, false, holds ? "" : "another process may answer", 0};
  });
}

runtime::Operation snapshot_operation(const scoring::Settings& settings) {
  return runtime::snapshot_operation(
      "take snapshots of the points, and compute statistics of them", settings.snapshot,
      [&settings](runtime::RunningService& service, core::Timestamp now,
                  const std::stop_token&) -> core::Result<std::optional<runtime::TakenSnapshot>> {
        scoring::StoredRules rules(service.store(), service.clock());
        const auto taken = scoring::take_snapshot_and_statistics(
            {service.database(), rules, service.campus()}, settings.engine.snapshots, now,
            settings.snapshot.kept);
        if (!taken) return taken.error();
        return std::optional(runtime::TakenSnapshot{taken->file, {{"members", taken->members}}});
      });
}

}  // namespace

int main(int argc, char** argv) {
  scoring::Settings settings;
  return runtime::run_service(
      argc, argv,
      {.name = "scoring",
       .version = TIDELINE_VERSION,
       .migrations = scoring::migrations(),
       .serves_from_memory = true,
       .keeps_blocks = true,
       .read_settings = [&](core::Config& config) { settings = scoring::Settings::read(config); },
       .compose =
           [&](runtime::ServiceContext& context) {
             add_fence(context, settings.fence);
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
             context.add_background("score-folding", [&engine, &database = context.database()](
                                                         const std::stop_token& stop) {
               engine.run_folding(database, stop);
             });
             show_metrics(context.metrics(), engine);
             show_load(context.metrics(), engine);
             runtime::show_snapshots(context, "tideline_scoring", settings.snapshot.folder);
             auto feed = std::make_unique<scoring::ScorePublisher>(
                 scoring::ScorePublisherPorts{
                     .scores = engine,
                     .committed = scores.committed,
                     .caught_up =
                         [status = context.status_of("scores")] { return status().caught_up_once; },
                     .topic = context.state_publisher(runtime::StateTopic::Scores, "score-feed"),
                     .campus = context.campus(),
                     .clock = context.clock()},
                 settings.publisher);
             scoring::ScorePublisher& published = *feed;
             published.tell(context.add_projection(std::move(feed)).in_memory);
             const auto blocks =
                 context.add_projection(std::make_unique<blocks::BlockProjection>());
             const auto ratings =
                 context.add_projection(std::make_unique<scoring::RatingProjection>());
             scoring::add_routes(context.router(), {.commands = context.commands(),
                                                    .database = context.database(),
                                                    .clock = context.clock(),
                                                    .random = context.random(),
                                                    .campus = context.campus(),
                                                    .account_ids = context.account_ids(),
                                                    .cipher = context.cipher(),
                                                    .people = context.people(),
                                                    .scores = engine,
                                                    .people_applied = context.people_applied(),
                                                    .blocks_applied = blocks.committed,
                                                    .scores_in_memory = scores.in_memory,
                                                    .scores_committed = scores.committed,
                                                    .ratings_applied = ratings.committed,
                                                    .rank_exact_max = settings.rank_exact_max,
                                                    .snapshots = settings.engine.snapshots});
           },
       .operations = {snapshot_operation(settings)}});
}
