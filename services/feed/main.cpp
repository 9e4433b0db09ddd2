#include "feed/api/routes.hpp"
#include "feed/migrations.hpp"
#include "feed/projections/interaction_projection.hpp"
#include "feed/projections/message_projection.hpp"
#include "feed/projections/moment_projection.hpp"
#include "feed/settings.hpp"
#include "runtime/service.hpp"

namespace tideline::feed {
namespace {

// From publishing to being readable, of moments that were published since this process began: those
// of a replay would say nothing.
std::function<void(const FanOut&)> measure_fan_out(runtime::ServiceContext& context) {
  auto deliveries = context.metrics().counter("tideline_feed_deliveries_total",
                                              "moment ids appended to viewers' timelines");
  auto moments = context.metrics().counter("tideline_feed_fan_outs_total", "moments fanned out");
  auto latency = context.metrics().histogram("tideline_feed_publish_to_visible_seconds",
                                             "from a moment's time to its fan-out");
  return [=, &clock = context.clock(), since = context.clock().now()](const FanOut& fan_out) {
    deliveries.add(static_cast<double>(fan_out.deliveries));
    moments.add();
    if (fan_out.published_at < since) return;
    const std::chrono::duration<double> took = clock.now() - fan_out.published_at;
    latency.observe(took.count());
  };
}

void measure_size(runtime::ServiceContext& context, const FeedEngine& engine) {
  auto viewers = context.metrics().gauge("tideline_feed_timelines", "viewers with a timeline");
  auto ids = context.metrics().gauge("tideline_feed_timeline_ids", "ids in all timelines");
  auto moments = context.metrics().gauge("tideline_feed_moments", "moments known");
  context.metrics().before_render([=, &engine] {
    const auto size = engine.size();
    viewers.set(static_cast<double>(size.viewers));
    ids.set(static_cast<double>(size.ids));
    moments.set(static_cast<double>(size.moments));
  });
}

void compose(runtime::ServiceContext& context, const Settings& settings) {
  if (!settings.disabled_rule.empty()) {
    context.log("feed").error(
        "A VISIBILITY RULE IS SWITCHED OFF: people are shown what is not for them",
        {{"rule", settings.disabled_rule}});
  }
  auto owned = std::make_unique<FeedEngine>(
      FeedEngineOptions{.timeline_length_max = settings.timeline_length_max,
                        .rules = settings.rules(),
                        .on_fan_out = measure_fan_out(context)});
  FeedEngine& engine = *owned;
  auto& engine_applied = context.add_projection(std::move(owned)).committed;
  engine.watch(engine_applied);
  measure_size(context, engine);
  auto& freshness =
      context.make<Freshness>(Freshness::Ports{context.status_of(engine.name()),
                                               [&engine] { return engine.is_rebuilding(); }},
                              settings.staleness_max);
  auto& streams = context.make<TimelineStreams>(
      TimelineStreams::Ports{engine, engine_applied, freshness, context.clock()});
  context.add_background("timeline-streams",
                         [&streams](std::stop_token stop) { streams.run(std::move(stop)); });
  add_routes(
      context.router(),
      {.commands = context.commands(),
       .database = context.database(),
       .moment_ids = context.make<core::MomentIdSource>(context.random()),
       .account_ids = context.account_ids(),
       .cipher = context.cipher(),
       .people = context.people(),
       .engine = engine,
       .freshness = freshness,
       .streams = streams,
       .engine_applied = engine_applied,
       .moments_applied = context.add_projection(std::make_unique<MomentProjection>()).committed,
       .interactions_applied =
           context.add_projection(std::make_unique<InteractionProjection>()).committed,
       .messages_applied = context.add_projection(std::make_unique<MessageProjection>()).committed,
       .people_applied = context.people_applied(),
       .logs = context.store().logs()});
}

}  // namespace
}  // namespace tideline::feed

int main(int argc, char** argv) {
  using namespace tideline;
  feed::Settings settings;
  return runtime::run_service(
      argc, argv,
      {.name = "feed",
       .version = TIDELINE_VERSION,
       .migrations = feed::migrations(),
       .read_settings = [&](core::Config& config) { settings = feed::Settings::read(config); },
       .compose = [&](runtime::ServiceContext& context) { feed::compose(context, settings); }});
}
