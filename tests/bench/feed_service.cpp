#include "bench/feed_service.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <thread>

#include "bench/feed_database.hpp"
#include "bench/feed_server.hpp"
#include "bench/first_moments.hpp"
#include "feed/api/moments/moment_items.hpp"
#include "feed/api/routes.hpp"
#include "feed/projections/feed_projection.hpp"
#include "feed/projections/search/search_projection.hpp"
#include "http/messages/cursor.hpp"
#include "kafka/consumer.hpp"
#include "kafka/gaps.hpp"
#include "kafka/relay.hpp"
#include "kafka/topics.hpp"
#include "postgres/store/event_store.hpp"
#include "postgres/store/relay_checkpoints.hpp"
#include "postgres/store/subject_keys.hpp"
#include "projections/runner/projection_runner.hpp"
#include "support/plain_seal.hpp"

namespace tideline::bench {
namespace {

using eventsourcing::AppliedPositions;
using http::Response;
using projections::ProjectionRunner;

constexpr std::chrono::seconds kDeadline{600};

// The engine with the people, their friendships and their first moments, whenever it begins anew.
class PreloadedEngine final : public eventsourcing::Projection {
 public:
  PreloadedEngine(feed::FeedEngine& engine, const FeedOptions& options)
      : engine_(engine),
        pairs_(graph_of(options.graph, options.law)),
        order_(people_in(pairs_)),
        first_moments_(first_moments(options, order_)) {
    for (std::uint32_t person = 0; person < order_.people(); ++person) {
      accounts_.push_back(account_of(person));
    }
  }

  const Shuffled& order() const { return order_; }
  const core::AccountId& account(std::uint32_t person) const { return accounts_[person]; }

  std::string_view name() const override { return engine_.name(); }
  std::vector<std::string> sources() const override { return engine_.sources(); }
  bool durable() const override { return engine_.durable(); }
  void prefetch(const eventsourcing::RecordedEvent& event) override { engine_.prefetch(event); }
  void apply(const eventsourcing::RecordedEvent& event) override { engine_.apply(event); }
  void flush(sql::Transaction& transaction) override { engine_.flush(transaction); }
  void load(sql::Transaction& transaction) override {
    engine_.load(transaction);
    // Names everybody, so that numbers follow the order of the pairs.
    for (const auto& account : accounts_) engine_.use(feed::read::Unfollowed{account, account});
    for (const auto& [one, other] : pairs_) {
      engine_.use(feed::read::ContactAccepted{accounts_[one], accounts_[other]});
    }
    for (std::uint32_t place = 0; place < first_moments_.count; ++place) {
      const CorpusMoment moment = first_moments_.at(place);
      feed::read::MomentPublished event;
      event.author = accounts_[moment.author];
      event.id = moment.id;
      event.published_at = moment.published_at;
      event.audience = moment.audience;
      engine_.use(event);
    }
  }

 private:
  feed::FeedEngine& engine_;
  const std::vector<Pair> pairs_;
  const Shuffled order_;
  const FirstMoments first_moments_;
  std::vector<core::AccountId> accounts_;  // by number
};

// Of the moments that were published over HTTP.
class FanOuts {
 public:
  void add(const feed::FanOut& fan_out, core::Timestamp now) {
    if (fan_out.published_at < since_) return;
    const std::chrono::duration<double, std::milli> took = now - fan_out.published_at;
    const std::lock_guard lock(mutex_);
    deliveries_ += fan_out.deliveries;
    visible_after_ms_.push_back(took.count());
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    deliveries_ = 0;
    visible_after_ms_.clear();
  }
  http::Json stats() const {
    const std::lock_guard lock(mutex_);
    std::vector<double> latencies = visible_after_ms_;
    return {{"moments", latencies.size()},
            {"deliveries", deliveries_},
            {"p50_ms", percentile(latencies, 0.5)},
            {"p99_ms", percentile(latencies, 0.99)},
            {"p999_ms", percentile(latencies, 0.999)}};
  }

 private:
  const core::Timestamp since_ = core::SystemClock().now();
  mutable std::mutex mutex_;
  std::uint64_t deliveries_ = 0;
  std::vector<double> visible_after_ms_;
};

void say(std::string_view level, const std::string& text) {
  if (level != "info") std::fprintf(stderr, "%s\n", text.c_str());
}

// In the order in which they need each other.
class Service {
 public:
  explicit Service(const FeedOptions& options)
      : options_(options),
        database_(feed_database(options.database)),
        store_(database_, clock_, random_, {.service = "feed", .logs = kFeedLogs}),
        checkpoints_(database_.options()),
        relay_({store_, checkpoints_, say}, {.brokers = options.brokers, .service = "feed"}),
        contents_(options.content_bytes, clock_),
        engine_(
            {.timeline_length_max = options.timeline_length,
             .rules = {},
             .on_fan_out = [this](const feed::FanOut& told) { fan_outs_.add(told, clock_.now()); },
             .before_use = [this](const auto& event) { contents_.before_use(event); },
             .after_use = [this](const auto& event) { contents_.after_use(event); }}),
        preloaded_(engine_, options),
        engine_runner_(preloaded_, ports("engine", preloaded_, ""), kFeedLogs),
        tables_runner_(tables_, ports("feed", tables_, "bench"), kFeedLogs),
        search_runner_(search_, ports("search", search_, "bench-search"), kFeedLogs) {
    engine_.watch(engine_runner_.applied());
    for (AppliedPositions* nobody_waits : {&people_, &notifications_}) {
      nobody_waits->reset({}, {});
    }
    feed::add_routes(router_, api_);
    router_.add(http::Method::Get, "/stats", http::Access::Public,
                [this](const http::Request& request) {
                  if (request.query("clear")) fan_outs_.clear();
                  const bool settled = is_settled();
                  auto stats = fan_outs_.stats();
                  stats["settled"] = settled;
                  return Response::json(200, stats);
                });
    add_alone(
        router_, preloaded_.order(), options.asked,
        [this](std::uint32_t person) { return page_of(person); },
        [this](std::uint32_t person) { core::prefetch(&preloaded_.account(person)); });
  }

  int run() {
    std::vector<std::jthread> threads;
    threads.emplace_back([this](std::stop_token stop) { relay_.run(stop); });
    threads.emplace_back([this](std::stop_token stop) { engine_runner_.run(stop); });
    threads.emplace_back([this](std::stop_token stop) { tables_runner_.run(stop); });
    threads.emplace_back([this](std::stop_token stop) { search_runner_.run(stop); });
    const auto give_up = std::chrono::steady_clock::now() + kDeadline;
    const auto has_caught_up = [](const ProjectionRunner* runner) {
      return runner->status().caught_up_once;
    };
    while (!std::ranges::all_of(runners_, has_caught_up)) {
      if (std::chrono::steady_clock::now() > give_up) return failed("the engine was not filled");
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return serve_feed(router_, clock_);
  }

 private:
  projections::RunnerPorts ports(const std::string& name,
                                 const eventsourcing::Projection& projection,
                                 const std::string& group) {
    return {database_,
            std::make_unique<kafka::KafkaRecordSource>(
                kafka::ConsumerOptions{.brokers = options_.brokers,
                                       .services = projection.sources(),
                                       .logs = kFeedLogs,
                                       .group = group,
                                       .client_id = "tideline-bench-" + name}),
            {},
            say};
  }

  bool is_settled() {
    const auto heads = must(store_.heads());
    for (ProjectionRunner* runner : runners_) {
      const auto applied = runner->applied().current();
      for (std::uint32_t log = 0; log < kFeedLogs; ++log) {
        if (applied.at("feed", core::LogIndex(log)) < heads[log]) return false;
      }
    }
    return true;
  }

  std::string page_of(std::uint32_t person) {
    http::Request request;
    request.principal.emplace(http::Principal{.account = preloaded_.account(person)});
    http::PageText text("timeline", {}, {});
    const auto page = engine_.reader().timeline(request.account(), {}, kPage);
    feed::append_moment_items(api_, request, page.entries, text.items());
    return std::move(text).response().body;
  }

  const FeedOptions& options_;
  core::SystemClock clock_;
  core::SystemRandom random_;
  FanOuts fan_outs_;
  postgres::PooledDatabase database_;
  postgres::PostgresEventStore store_;
  postgres::PostgresRelayCheckpoints checkpoints_;
  kafka::Relay relay_;
  crypto::NoKeyWrap wrap_;
  postgres::PostgresSubjectKeys keys_{database_, wrap_};
  crypto::AccountIds account_ids_{crypto::AccountIds::Secret{1, 2, 3}};
  crypto::SubjectCipher cipher_{keys_, clock_, {.indexed_by = account_ids_}};
  core::MomentIdSource moment_ids_{random_};
  people::PeopleDirectory directory_;
  uploads::TableContentStore uploads_{database_};
  uploads::TableImageStore images_{database_, uploads_};
  images::RenditionMaker renditions_;
  http::SignedLinks links_{test_support::plain_seal(), clock_};
  http::CommandEndpoint endpoint_{store_, clock_};
  feed::MomentContents contents_;
  feed::FeedEngine engine_;
  PreloadedEngine preloaded_;
  feed::FeedProjection tables_;
  feed::SearchProjection search_{cipher_};
  ProjectionRunner engine_runner_;
  ProjectionRunner tables_runner_;
  ProjectionRunner search_runner_;
  const std::array<ProjectionRunner*, 3> runners_{&engine_runner_, &tables_runner_,
                                                  &search_runner_};
  AppliedPositions people_, notifications_;
  feed::Freshness freshness_{
      {[this] { return engine_runner_.status(); }, [this] { return engine_.is_rebuilding(); }},
      std::chrono::seconds(5)};
  feed::ShardRouter shard_router_{
      {.find =
           [](std::size_t) {
             return feed::ShardPlace{feed::ShardPlace::Kind::Here, "", ""};
           },
       .after_next_look = {},
       .ask = {},
       .instance = "feed-0"}};
  feed::TimelineStreams streams_{
      {engine_.reader(), engine_runner_.applied(), freshness_, shard_router_}};
  feed::StoredUnread unread_{{database_, engine_.reader()}};
  feed::NotificationStreams notification_streams_{{unread_, engine_runner_.applied(), freshness_}};
  feed::ApiPorts api_{endpoint_,
                      database_,
                      moment_ids_,
                      account_ids_,
                      cipher_,
                      directory_,
                      uploads_,
                      images_,
                      renditions_,
                      links_,
                      engine_.reader(),
                      contents_,
                      freshness_,
                      shard_router_,
                      streams_,
                      notification_streams_,
                      nullptr,
                      push::Reach::Public,
                      engine_runner_.applied(),
                      tables_runner_.applied(),
                      search_runner_.applied(),
                      notifications_,
                      people_,
                      kFeedLogs,
                      clock_};
  http::Router router_{std::make_shared<NumberVerifier>(account_of), clock_};
};

void make_topics(const std::string& brokers) {
  std::vector<kafka::TopicSpec> topics{{.name = kafka::kGapsTopic}};
  for (const char* service : {"accounts", "social-graph", "feed"}) {
    topics.push_back({.name = kafka::events_topic(service), .partitions = kFeedLogs});
  }
  must(kafka::ensure_topics(brokers, topics, std::chrono::seconds(20)));
}

}  // namespace

int serve_service(const FeedOptions& options) {
  make_topics(options.brokers);
  Service service(options);
  return service.run();
}

}  // namespace tideline::bench
