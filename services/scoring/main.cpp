#include <memory>

#include "runtime/service.hpp"
#include "scoring/api/routes.hpp"
#include "scoring/migrations.hpp"
#include "scoring/projections/engine/score_engine.hpp"
#include "scoring/projections/rating_projection.hpp"
#include "scoring/settings.hpp"

namespace {

using namespace tideline;

void show_metrics(observability::Metrics& metrics, const scoring::ScoreEngine& engine) {
  auto members = metrics.gauge("tideline_scoring_board_members", "people on the board");
  auto band =
      metrics.gauge("tideline_scoring_band_members", "people whose lists are kept in order");
  auto counters = metrics.gauge("tideline_scoring_cap_counters", "daily counters in memory");
  auto pending = metrics.gauge("tideline_scoring_pending_people", "changes not in the tables yet");
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
    pending.set(static_cast<double>(status.pending_people));
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
             const auto& rules = scoring::RuleBook::standard();
             auto made = std::make_unique<scoring::ScoreEngine>(rules, context.campus(),
                                                                context.clock(), settings.engine);
             scoring::ScoreEngine& engine = *made;
             context.on_department(
                 [&engine](const core::AccountId& account, std::string_view department) {
                   engine.set_department(account, department);
                 });
             const auto scores = context.add_projection(std::move(made));
             show_metrics(context.metrics(), engine);
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
                                                    .rules = rules,
                                                    .levels = scoring::Levels::standard(),
                                                    .people_applied = context.people_applied(),
                                                    .scores_in_memory = scores.in_memory,
                                                    .scores_committed = scores.committed,
                                                    .ratings_applied = ratings.committed,
                                                    .rank_exact_max = settings.rank_exact_max});
           }});
}
