#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "feed/api/notifications/push_rounds.hpp"
#include "feed/api/routes.hpp"
#include "feed/migrations.hpp"
#include "feed/projections/feed_projection.hpp"
#include "feed/projections/moment_queries.hpp"
#include "feed/projections/notifications/notification_projection.hpp"
#include "feed/projections/search/search_projection.hpp"
#include "feed/projections/snapshot/snapshot_take.hpp"
#include "feed/settings.hpp"
#include "feed/shards/shard_leases.hpp"
#include "kafka/consumer.hpp"
#include "projections/runner/catch_up.hpp"
#include "runtime/composition.hpp"
#include "runtime/service.hpp"
#include "runtime/snapshots.hpp"
#include "runtime/swept_uploads.hpp"

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

std::function<void(std::size_t)> count_evictions(runtime::ServiceContext& context) {
  auto evictions = context.metrics().counter("tideline_feed_timeline_evictions_total",
                                             "timelines emptied for want of room");
  return [evictions](std::size_t count) { evictions.add(static_cast<double>(count)); };
}

void measure_size(runtime::ServiceContext& context, const FeedEngine& engine) {
  using Size = FeedEngine::Size;
  const auto bytes_by = [](std::size_t Size::*count) {
    return [count](const Size& size) {
      const auto bytes = static_cast<double>(size.array_bytes + size.head_bytes);
      return size.*count == 0 ? 0 : bytes / static_cast<double>(size.*count);
    };
  };
  context.metrics().show(
      [&engine] { return engine.size(); },
      {{"tideline_feed_timelines", "viewers with a timeline", &Size::viewers},
       {"tideline_feed_timeline_ids", "ids in all timelines", &Size::ids},
       {"tideline_feed_moments", "moments known", &Size::moments},
       {"tideline_feed_timeline_bytes", "memory of all timelines' arrays, which is bounded",
        &Size::array_bytes},
       {"tideline_feed_timeline_bytes_per_viewer", "all of timelines' memory by viewers with one",
        bytes_by(&Size::viewers)},
       {"tideline_feed_timeline_bytes_per_delivery", "all of timelines' memory by ids in them",
        bytes_by(&Size::ids)}});
}

auto tell_start(observability::Log log) {
  return [log](const std::filesystem::path& file, const core::Status& used) {
    if (used) return log.info("loaded from a snapshot", {{"file", file.string()}});
    log.warning("a snapshot is not used",
                {{"file", file.string()}, {"reason", used.error().message}});
  };
}

// For the engine that serves.
std::function<std::optional<RestoredFeed>()> start_from_snapshots(runtime::ServiceContext& context,
                                                                  const Settings& settings) {
  auto load = context.metrics().gauge("tideline_feed_load_seconds",
                                      "that the last load of a snapshot took; 0: there was none");
  const SnapshotStart start{settings.snapshot.folder, context.event_log(),
                            tell_start(context.log("engine"))};
  return [load, start]() mutable {
    const auto begun = std::chrono::steady_clock::now();
    auto restored = restore_newest(start);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    load.set(restored ? took.count() : 0);
    return restored;
  };
}

runtime::Operation snapshot_operation(const Settings& settings) {
  return runtime::snapshot_operation(
      "take snapshots of the engine's memory, for quick starts", settings.snapshot,
      [&settings](runtime::RunningService& service, core::Timestamp, const std::stop_token& stop)
          -> core::Result<std::optional<runtime::TakenSnapshot>> {
        projections::RunnerPorts topics{
            service.database(),
            std::make_unique<kafka::KafkaRecordSource>(service.lone_consumer(FeedEngine())),
            [&service](const auto& partition, core::LogPosition position) {
              service.gaps().report(partition, position);
            },
            service.log_lines("snapshot")};
        const auto taken = take_snapshot(
            {settings.snapshot.folder, service.event_log(), tell_start(service.log("snapshot"))},
            [&](FeedEngine& engine, const auto& then) {
              return projections::catch_up(
                  engine, std::move(topics), service.event_log().logs(),
                  [&](eventsourcing::AppliedPositions& applied) { engine.watch(applied); }, then,
                  stop);
            },
            service.clock(), settings.snapshot.kept);
        if (!taken) return taken.error();
        if (!*taken) return std::optional<runtime::TakenSnapshot>();
        return std::optional(runtime::TakenSnapshot{
            (*taken)->file, {{"people", (*taken)->people}, {"moments", (*taken)->moments}}});
      });
}

// What is remembered is told of whatever takes it away: deletions and closings by the engine, names
// by the directory.
MomentContents& add_contents(runtime::ServiceContext& context, std::size_t bytes_max) {
  auto& contents = context.make<MomentContents>(bytes_max, context.clock());
  context.on_profiles_changed([&contents](auto accounts) { contents.drop_names(accounts); });
  using Counts = MomentContents::Counts;
  context.metrics().show(
      [&contents] { return contents.counts(); },
      {{"tideline_feed_content_hits", "moments of pages whose text was in memory", &Counts::hits},
       {"tideline_feed_content_misses", "and those whose text had to be opened", &Counts::misses},
       {"tideline_feed_content_moments", "texts in memory", &Counts::moments},
       {"tideline_feed_content_bytes", "of texts and names", &Counts::bytes}});
  return contents;
}

// What makes one of several instances of this process. In the order in which they need each other.
struct Shards {
  Shards(runtime::ServiceContext& context, const Settings& settings, FeedEngine& engine,
         const std::function<eventsourcing::RunnerStatus()>& status)
      : leases(
            {.database = context.database(),
             .time_since_boot = core::time_since_boot,
             .can_serve =
                 [&context, &engine, status] {
                   return status().caught_up_once && !engine.is_rebuilding() &&
                          !context.is_stopping();
                 },
             .on_change = [&engine](const ShardSet& held) { engine.keep(held); },
             .log = context.log_lines("shards")},
            {.instance = settings.instance, .address = settings.address, .lease = settings.lease}),
        shard_router(
            {.find = [this](std::size_t shard) { return leases.find(shard); },
             .after_next_look = [this](auto then) { leases.after_next_look(std::move(then)); },
             .ask =
                 [this](const auto& request, auto then) {
                   passed_on.add();
                   client.get(request, std::move(then));
                 },
             .instance = settings.instance}),
        passed_on(context.metrics().counter("tideline_feed_timelines_passed_on_total",
                                            "requests that came here with their shard elsewhere")),
        client(context.peer_options()) {}

  ShardLeases leases;
  ShardRouter shard_router;
  const observability::Counter passed_on;
  http::Client client;
};

const ShardRouter& add_shards(runtime::ServiceContext& context, const Settings& settings,
                              FeedEngine& engine) {
  engine.keep({});
  auto& shards = context.make<Shards>(context, settings, engine, context.status_of(engine.name()));
  context.add_background("shards",
                         [&shards](std::stop_token stop) { shards.leases.run(std::move(stop)); });
  context.add_health("shards", [&shards] {
    const bool joined = shards.leases.has_joined();
    return runtime::PartHealth{joined, false, joined ? "" : "has not joined the instances yet", 0};
  });
  context.metrics().show([&shards] { return shards.leases.held_count(); },
                         {{"tideline_feed_shards", "of 64, at this instance", std::identity()}});
  return shards.shard_router;
}

// Messages to browsers.
void add_push(runtime::ServiceContext& context, const Settings& settings, UnreadSource& unread,
              Freshness& freshness) {
  if (!settings.vapid) return;
  auto messages = context.metrics().counters("tideline_feed_push_messages_total",
                                             "messages to push services", {"outcome"});
  std::map<push::PushOutcome, observability::Counter> counters;
  for (const auto& [outcome, name] :
       {std::pair(push::PushOutcome::Taken, "taken"), std::pair(push::PushOutcome::Gone, "gone"),
        std::pair(push::PushOutcome::Later, "later"),
        std::pair(push::PushOutcome::Refused, "refused")}) {
    counters.emplace(outcome, messages.with({name}));
  }
  auto& sender = context.make<push::PushSender>(push::PushSenderOptions{
      .reach = settings.push_reach, .topic = "notifications", .ca_file = settings.push_ca_file});
  auto& rounds = context.make<PushRounds>(PushRounds::Ports{
      .database = context.database(),
      .unread = unread,
      .cipher = context.cipher(),
      .freshness = freshness,
      .vapid = *settings.vapid,
      .reach = settings.push_reach,
      .is_revoked = context.is_revoked(),
      .send = [&sender](std::span<const push::PushRequest> batch) { return sender.send(batch); },
      .on_answer = [counters](push::PushOutcome outcome) { counters.at(outcome).add(); },
      .clock = context.clock()});
  context.add_background("push", [&rounds](std::stop_token stop) { rounds.run(std::move(stop)); });
}

void compose(runtime::ServiceContext& context, const Settings& settings) {
#ifdef TIDELINE_BREAKABLE
  if (!settings.disabled_rule.empty()) {
    context.log("feed").error(
        "A VISIBILITY RULE IS SWITCHED OFF: people are shown what is not for them",
        {{"rule", settings.disabled_rule}});
  }
#endif
  MomentContents& contents = add_contents(context, settings.content_bytes_max);
  auto made = std::make_unique<FeedEngine>(FeedEngineOptions{
      .timeline_length_max = settings.timeline_length_max,
      .timeline_bytes_max = settings.timeline_bytes_max,
      .rules = settings.rules(),
      .on_fan_out = measure_fan_out(context),
      .restore = start_from_snapshots(context, settings),
      .on_evictions = count_evictions(context),
      .before_use = [&contents](const auto& event) { contents.before_use(event); },
      .after_use = [&contents](const auto& event) { contents.after_use(event); }});
  FeedEngine& engine = *made;
  auto& engine_applied = context.add_projection(std::move(made)).committed;
  engine.watch(engine_applied);
  measure_size(context, engine);
  runtime::show_snapshots(context, "tideline_feed", settings.snapshot.folder);
  auto& freshness =
      context.make<Freshness>(Freshness::Ports{context.status_of(engine.name()),
                                               [&engine] { return engine.is_rebuilding(); },
                                               context.log_lines("freshness")},
                              settings.staleness_max);
  const auto& shard_router = add_shards(context, settings, engine);
  auto& streams = context.make<TimelineStreams>(
      TimelineStreams::Ports{engine.reader(), engine_applied, freshness, shard_router});
  context.add_background("timeline-streams",
                         [&streams](std::stop_token stop) { streams.run(std::move(stop)); });
  auto& unread =
      context.make<StoredUnread>(NotificationWalk::Ports{context.database(), engine.reader()});
  auto& notification_streams = context.make<NotificationStreams>(
      NotificationStreams::Ports{unread, engine_applied, freshness});
  context.add_background("notification-streams", [&notification_streams](std::stop_token stop) {
    notification_streams.run(std::move(stop));
  });
  add_push(context, settings, unread, freshness);
  auto& tables_applied = context.add_projection(std::make_unique<FeedProjection>()).committed;
  auto& search_applied =
      context.add_projection(std::make_unique<SearchProjection>(context.cipher())).committed;
  auto& notifications_applied =
      context.add_projection(std::make_unique<NotificationProjection>()).committed;
  auto& uploaded = runtime::add_uploads(context, "feed", kReferencedUploadsSql);
  add_routes(context.router(),
             {.commands = context.commands(),
              .database = context.database(),
              .moment_ids = context.make<core::MomentIdSource>(context.random()),
              .account_ids = context.account_ids(),
              .cipher = context.cipher(),
              .people = context.people(),
              .uploads = uploaded,
              .images = context.make<uploads::TableImageStore>(context.database(), uploaded),
              .renditions = context.make<images::RenditionMaker>(),
              .links = context.links(),
              .reader = engine.reader(),
              .contents = contents,
              .freshness = freshness,
              .shard_router = shard_router,
              .streams = streams,
              .notification_streams = notification_streams,
              .vapid = settings.vapid ? &*settings.vapid : nullptr,
              .push_reach = settings.push_reach,
              .engine_applied = engine_applied,
              .tables_applied = tables_applied,
              .search_applied = search_applied,
              .notifications_applied = notifications_applied,
              .people_applied = context.people_applied(),
              .logs = context.store().logs(),
              .clock = context.clock()});
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
       .serves_from_memory = true,
       .keeps_uploads = true,
       .read_settings = [&](core::Config& config) { settings = feed::Settings::read(config); },
       .compose = [&](runtime::ServiceContext& context) { feed::compose(context, settings); },
       .operations = {feed::snapshot_operation(settings)}});
}
