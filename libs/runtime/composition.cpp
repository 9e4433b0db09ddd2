#include "runtime/composition.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <sstream>

#include "blocks/blocks.hpp"
#include "kafka/consumer.hpp"
#include "kafka/topics.hpp"
#include "people/people_projection.hpp"
#include "people/profile_view.hpp"
#include "revocations/revocation_projection.hpp"
#include "runtime/swept_uploads.hpp"
#include "runtime/text_seal.hpp"

namespace tideline::runtime {
namespace {

// Also how long the end of the service may wait for a look at topics that do not answer.
constexpr std::chrono::seconds kTopicsDeadline{5};
constexpr std::chrono::seconds kTopicsInterval{10};
constexpr std::chrono::milliseconds kRetryPause{500};

postgres::DatabaseOptions database_options(const ServiceDefinition& definition,
                                           const CommonSettings& settings) {
  postgres::DatabaseOptions options;
  options.conninfo = settings.database_url;
  options.application_name = "tideline-" + definition.name;
  options.connections_max = settings.database_connections;
  return options;
}

postgres::EventStoreOptions store_options(const ServiceDefinition& definition,
                                          const CommonSettings& settings) {
  postgres::EventStoreOptions options;
  options.service = definition.name;
  options.logs = settings.logs;
  return options;
}

kafka::RelayOptions relay_options(const ServiceDefinition& definition,
                                  const CommonSettings& settings) {
  kafka::RelayOptions options;
  options.brokers = settings.kafka_brokers;
  options.service = definition.name;
  options.client_id = "tideline-" + definition.name + "-relay";
  return options;
}

const char* name_of(StateTopic topic) {
  switch (topic) {
    case StateTopic::Profiles:
      return kafka::kProfilesTopic;
    case StateTopic::Scores:
      return kafka::kScoresTopic;
  }
  CHECK(false, "a topic without a name");
  return "";
}

kafka::StateTopicOptions state_topic_options(const CommonSettings& settings, StateTopic topic) {
  kafka::StateTopicOptions options;
  options.brokers = settings.kafka_brokers;
  options.topic = name_of(topic);
  options.partitions = settings.logs;
  return options;
}

std::unique_ptr<observability::SpanExporter> make_exporter(const ServiceDefinition& definition,
                                                           const CommonSettings& settings,
                                                           observability::Metrics& metrics,
                                                           const observability::Logging& logging) {
  if (settings.otlp_endpoint.empty()) return nullptr;
  observability::SpanExporterOptions options;
  options.endpoint = settings.otlp_endpoint;
  options.service = "tideline-" + definition.name;
  return std::make_unique<observability::SpanExporter>(options, metrics, logging.logger("spans"));
}

// Sleeps until `pause` is over or stop is requested.
void pause_for(std::stop_token stop, std::chrono::milliseconds pause) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, pause, [] { return false; });
}

}  // namespace

RunningService::RunningService(const ServiceDefinition& definition, const CommonSettings& settings,
                               Secrets secrets, observability::Logging& logging, core::Clock& clock,
                               core::Random& random, Purpose purpose)
    : definition_(definition),
      settings_(settings),
      secrets_(std::move(secrets)),
      logging_(logging),
      clock_(clock),
      random_(random),
      purpose_(purpose),
      spans_(make_exporter(definition, settings, metrics_, logging)),
      database_(database_options(definition, settings)),
      log_pools_(database_, settings.log_places, settings.logs),
      append_spans_(spans_ ? std::make_unique<AppendSpans>(*spans_, clock) : nullptr),
      append_log_(logging.logger("commands")),
      store_(log_pools_.databases(), clock, random, store_options(definition, settings)),
      subject_keys_(database_, *secrets_.key_wrap),
      cipher_(subject_keys_, clock, {.indexed_by = secrets_.account_ids}),
      revoked_tokens_(database_, clock),
      links_(std::make_shared<http::SignedLinks>(make_text_seal("link", secrets_.position_keys),
                                                 clock)),
      router_(secrets_.tokens, clock),
      commands_(store_, clock, *secrets_.campus, &cipher_),
      observer_(observability::RequestRecorder(metrics_, logging.logger("http"),
                                               {.slow_after = settings.slow_request}),
                logging.logger("http"), clock, spans_.get()),
      gaps_(settings.kafka_brokers),
      health_router_(nullptr, clock) {
  if (append_spans_) store_.observe(*append_spans_);
  store_.observe(append_log_);
  make_relays();
}

RunningService::~RunningService() { stop(); }

// Of a database that is away only its own relay takes notice.
void RunningService::make_relays() {
  const postgres::LogDatabases databases = log_pools_.databases();
  for (std::size_t index = 0; index < databases.count(); ++index) {
    kafka::RelayOptions options = relay_options(definition_, settings_);
    for (std::uint32_t log = 0; log < databases.logs(); ++log) {
      if (databases.index_of(core::LogIndex(log)) == index) options.logs.emplace_back(log);
    }
    auto made =
        std::make_unique<DatabaseRelay>(databases.at(index).options(), store_.in_database(index),
                                        log_lines("relay"), std::move(options));
    add_background("relay", [relay = &made->relay](std::stop_token stop) { relay->run(stop); });
    relays_.push_back(std::move(made));
  }
}

std::function<void(std::string_view, const std::string&)> RunningService::log_lines(
    std::string_view name) {
  return [log = logging_.logger(name)](std::string_view level, const std::string& text) {
    log.write(observability::parse_level(level).value_or(observability::Level::Info), text);
  };
}

core::Status RunningService::prepare_databases() {
  std::vector<PreparedDatabase> all;
  for (postgres::PooledDatabase* database : log_pools_.all()) {
    std::vector<postgres::MigrationSet> sets{postgres::base_migrations(settings_.logs)};
    if (database == &database_) {
      for (auto& set : model_migrations()) sets.push_back(std::move(set));
      sets.push_back({"revocations", {{1, "revocation", revocations::kRevocationTableSql}}});
      if (definition_.keeps_uploads) sets.push_back(upload_migrations());
    }
    all.push_back({database, std::move(sets)});
  }
  auto prepared = runtime::prepare_databases(all, settings_.migrations, log_lines("runtime"));
  if (!prepared) return prepared;
  return postgres::check_places(log_pools_.databases());
}

std::vector<postgres::MigrationSet> RunningService::model_migrations() const {
  std::vector<postgres::MigrationSet> sets;
  if (definition_.uses_people) {
    sets.push_back({"people",
                    {{1, "person", people::kPersonTableSql},
                     {2, "person_profile", people::kPersonProfileTableSql},
                     {3, "person_avatar", people::kPersonAvatarSql}}});
  }
  if (definition_.keeps_blocks)
    sets.push_back({"blocks", {{1, "person_block", blocks::kBlockTableSql}}});
  sets.push_back({definition_.name, definition_.migrations});
  return sets;
}

std::vector<eventsourcing::Projection*> RunningService::projections() const {
  std::vector<eventsourcing::Projection*> all;
  for (const Model& model : models_) all.push_back(model.projection.get());
  return all;
}

kafka::ConsumerOptions RunningService::lone_consumer(
    const eventsourcing::Projection& projection) const {
  kafka::ConsumerOptions consumer;
  consumer.brokers = settings_.kafka_brokers;
  consumer.services = projection.sources();
  consumer.logs = settings_.logs;
  consumer.client_id = "tideline-" + definition_.name + "-" + std::string(projection.name());
  return consumer;
}

eventsourcing::AppliedPositions& RunningService::people_applied() {
  CHECK(people_applied_ != nullptr, "this service does not keep the directory of people");
  return *people_applied_;
}

void RunningService::on_department(people::ProfileView::DepartmentSeen seen) {
  CHECK(profile_view_ != nullptr, "this service does not keep the directory of people");
  profile_view_->tell_departments(std::move(seen));
}

void RunningService::on_profiles_changed(people::ProfileView::ProfilesChanged changed) {
  CHECK(profile_view_ != nullptr, "this service does not keep the directory of people");
  profile_view_->tell_changes(std::move(changed));
}

eventsourcing::StatePublisher& RunningService::state_publisher(StateTopic topic,
                                                               std::string projection) {
  auto made = std::make_unique<projections::StatePublication>(
      name_of(topic), std::move(projection),
      projections::StatePublicationPorts{
          database_, std::make_unique<kafka::KafkaStateSink>(state_topic_options(settings_, topic)),
          clock_, log_lines(name_of(topic))});
  auto& publication = *state_publications_.emplace_back(std::move(made));
  add_background(name_of(topic), [&publication](std::stop_token stop) { publication.run(stop); });
  return publication;
}

eventsourcing::AppliedPositions& RunningService::add_state_view(
    StateTopic topic, std::unique_ptr<eventsourcing::StateView> view,
    std::vector<std::string> services) {
  const std::string name(view->name());
  auto made = std::make_unique<projections::StateTopicRunner>(
      *view, database_,
      std::make_unique<kafka::KafkaStateSource>(state_topic_options(settings_, topic)),
      log_lines(name), std::move(services));
  auto& runner = *state_views_.emplace_back(States{name, std::move(view), std::move(made)}).runner;
  add_background(name, [&runner](std::stop_token stop) { runner.run(stop); });
  return runner.applied();
}

AppliedModel RunningService::add_projection(std::unique_ptr<eventsourcing::Projection> projection) {
  kafka::ConsumerOptions consumer = lone_consumer(*projection);
  // A model in memory needs every event itself; one in tables shares the partitions with replicas.
  if (projection->durable()) consumer.group = consumer.client_id;
  consumer.shows_progress = true;
  Model model;
  std::unique_ptr<eventsourcing::RecordSource> source;
  if (purpose_ == Purpose::Serve) {
    source = std::make_unique<kafka::KafkaRecordSource>(std::move(consumer));
    if (spans_) model.spans = std::make_unique<ProjectionSpans>(*projection, *spans_, clock_);
  }

  model.name = std::string(projection->name());
  model.projection = std::move(projection);
  model.runner = std::make_unique<projections::ProjectionRunner>(
      *model.projection,
      projections::RunnerPorts{
          database_, std::move(source),
          [this](const eventsourcing::SourcePartition& partition, core::LogPosition position) {
            gaps_.report(partition, position);
          },
          log_lines("projection." + model.name), nullptr, model.spans.get()},
      settings_.logs);
  projections::ProjectionRunner& runner = *model.runner;
  models_.push_back(std::move(model));
  add_background("projection." + models_.back().name,
                 [&runner](std::stop_token stop) { runner.run(stop); });
  return {runner.applied(), runner.in_memory()};
}

std::function<eventsourcing::RunnerStatus()> RunningService::status_of(
    std::string_view projection) {
  const auto model = std::find_if(models_.begin(), models_.end(),
                                  [&](const Model& known) { return known.name == projection; });
  CHECK(model != models_.end(), "no projection has that name");
  return [runner = model->runner.get()] { return runner->status(); };
}

void RunningService::add_background(std::string name, std::function<void(std::stop_token)> work) {
  background_.push_back({std::move(name), std::move(work)});
}

void RunningService::before_serving(std::function<void()> wait) {
  before_serving_.push_back(std::move(wait));
}

void RunningService::add_people() {
  std::vector<std::string> owned;
  if (definition_.keeps_uploads) owned = upload_tables();
  people_applied_ =
      &add_projection(std::make_unique<people::PeopleProjection>(std::move(owned))).committed;
  auto profiles = std::make_unique<people::ProfileView>();
  profile_view_ = profiles.get();
  add_state_view(StateTopic::Profiles, std::move(profiles));
}

core::Status RunningService::add_revocations() {
  auto loaded = revoked_tokens_.load();
  if (!loaded) return loaded;
  add_projection(std::make_unique<revocations::RevocationProjection>(revoked_tokens_));
  add_background("revoked-tokens", [this](std::stop_token stop) { revoked_tokens_.run(stop); });
  router_.set_revoked(is_revoked());
  return core::success();
}

// Kafka may come later than the service: its topics are made when it answers. It may also come back
// as an older copy that lacks them: so they are looked at for as long as the service runs.
void RunningService::keep_topics_there(std::stop_token stop) {
  std::vector<kafka::TopicSpec> topics;
  const auto replication = static_cast<std::uint16_t>(settings_.kafka_replication);
  std::istringstream services(TIDELINE_SERVICES);
  for (std::string service; services >> service;) {
    topics.push_back({kafka::events_topic(service), settings_.logs, replication, false, {}});
  }
  for (const StateTopic topic : {StateTopic::Profiles, StateTopic::Scores}) {
    topics.push_back({name_of(topic), settings_.logs, replication, true, {}});
  }
  topics.push_back({kafka::kGapsTopic, 1, replication, false, std::chrono::hours(24)});
  while (!stop.stop_requested()) {
    const auto made = kafka::ensure_topics(settings_.kafka_brokers, topics, kTopicsDeadline);
    topics_there_ = made.ok();
    if (!made) log("runtime").warning("no topics", {{"reason", made.error().message}});
    pause_for(stop, made ? kTopicsInterval : kRetryPause);
  }
}

http::ClientOptions RunningService::peer_options() {
  http::ClientOptions options;
  const auto& tls = settings_.server.tls;
  if (tls) options.tls = {tls->identity, definition_.name};
  return options;
}

void RunningService::add_gauges() {
  using Appender = postgres::AppenderStatus;
  metrics_.show(
      [this] { return store_.status(); },
      {{"tideline_events_appended", "events appended by this process", &Appender::events},
       {"tideline_append_batches", "transactions that appended", &Appender::batches},
       {"tideline_append_batches_at_once", "of these: in one round trip", &Appender::at_once},
       {"tideline_append_conflicts", "appends lost to another one", &Appender::conflicts},
       {"tideline_appends_spread", "appends over several databases", &Appender::spread},
       {"tideline_appends_recovered", "prepared transactions finished for others",
        &Appender::recovered},
       {"tideline_append_queue_length", "appends that wait", &Appender::queued}});
  auto relayed = metrics_.gauge("tideline_relay_records", "records acknowledged by Kafka");
  auto relay_lag = metrics_.gauge("tideline_relay_lag_events", "appended, not yet in Kafka");
  auto lag =
      metrics_.gauges("tideline_projection_lag_events", "records not applied yet", {"projection"});
  auto applied = metrics_.gauges("tideline_projection_applied_events",
                                 "events applied since the start", {"projection"});
  auto ready = metrics_.gauges("tideline_projection_caught_up_seconds",
                               "from the start until it had what the topics held", {"projection"});
  auto parked = metrics_.gauges("tideline_projection_parked_events",
                                "events in the dead-letter table", {"projection"});
  auto in_flight =
      metrics_.gauge("tideline_http_requests_in_flight", "requests queued or in flight");
  auto waiting = metrics_.gauge("tideline_http_requests_waiting",
                                "requests that wait for what their position token says");
  metrics_.before_render([=, this] {
    if (server_) {
      in_flight.set(static_cast<double>(server_->requests_in_flight()));
      waiting.set(static_cast<double>(server_->requests_waiting()));
    }
    double published = 0;
    double behind = 0;
    for (const auto& one : relays_) {
      const auto relay = one->relay.status();
      for (const auto& log : relay.logs) behind += static_cast<double>(log.lag);
      published += static_cast<double>(relay.published);
    }
    relayed.set(published);
    relay_lag.set(behind);
    for (const Model& model : models_) {
      const auto status = model.runner->status();
      lag.with({model.name}).set(static_cast<double>(status.lag));
      applied.with({model.name}).set(static_cast<double>(status.applied));
      parked.with({model.name}).set(static_cast<double>(status.parked));
      if (!status.caught_up_once) continue;
      ready.with({model.name}).set(std::chrono::duration<double>(status.caught_up_in).count());
    }
  });
}

PartHealth RunningService::relay_health() const {
  PartHealth health;
  for (const auto& one : relays_) {
    const auto status = one->relay.status();
    for (const auto& log : status.logs) health.lag += log.lag;
    health.degraded = health.degraded || !status.problem.empty();
    if (!status.fatal.empty()) {
      health.detail = status.fatal;
    } else if (health.detail.empty()) {
      health.detail = status.problem;
    }
    health.ready = health.ready && status.fatal.empty();
  }
  return health;
}

bool RunningService::all_databases_answer() {
  return std::ranges::all_of(log_pools_.all(),
                             [](auto* database) { return database->ping().ok(); });
}

// Probes and metrics are answered also while all workers are busy, and before there is a service.
core::Status RunningService::start_health_server() {
  if (settings_.health_port == 0) return core::success();
  health_.add_routes(health_router_, metrics_);
  http::ServerOptions options = settings_.server;
  options.port = settings_.health_port;
  options.reactor_threads = 1;
  options.worker_threads = 1;
  options.queued_requests_max = 64;
  options.connections_max = 64;
  options.tls.reset();  // probes have no certificates
  health_server_ = std::make_unique<http::Server>(options, health_router_, clock_);
  return health_server_->start();
}

void RunningService::register_health() {
  add_background("databases", [this](std::stop_token stop) { databases_.run(stop); });
  health_.add("database", [this, goes_on = definition_.serves_from_memory] {
    if (databases_.is_there()) return PartHealth{true, false, "", 0};
    if (!goes_on) return PartHealth{false, false, "does not answer", 0};
    return PartHealth{true, true, "does not answer: what is in memory is served", 0};
  });
  health_.add("topics", [this] {
    const bool there = topics_there_;
    return PartHealth{true, !there, there ? "" : "Kafka does not answer, or lacks topics", 0};
  });
  health_.add("relay", [this] { return relay_health(); });
  for (const Model& model : models_) {
    health_.add("projection." + model.name, [runner = model.runner.get()] {
      const auto status = runner->status();
      return PartHealth{status.caught_up_once, status.parked > 0 || !status.last_problem.empty(),
                        status.last_problem, status.lag};
    });
  }
  for (const States& states : state_views_) {
    health_.add(states.name, [runner = states.runner.get()] {
      const auto status = runner->status();
      return PartHealth{status.caught_up_once, !status.last_problem.empty(), status.last_problem,
                        0};
    });
  }
  health_.add_routes(router_, metrics_);
}

core::Status RunningService::compose() {
  auto prepared = prepare_databases();
  if (!prepared) return prepared;
  router_.set_position_seal(make_text_seal(
      "position", secrets_.position_keys, std::chrono::seconds(60), [this](const std::string& why) {
        log("runtime").error("keys of position tokens cannot be read", {{"reason", why}});
      }));
  router_.set_signed_links(links_);
  if (auto revocations = add_revocations(); !revocations) return revocations;
  if (definition_.uses_people) add_people();
  definition_.compose(*this);
  return core::success();
}

core::Status RunningService::start() {
  auto watched = start_health_server();
  if (!watched) return watched;
  add_background("topics", [this](std::stop_token stop) { keep_topics_there(stop); });
  auto composed = compose();
  if (!composed) return composed;
  server_ = std::make_unique<http::Server>(settings_.server, router_, clock_, &observer_);
  add_gauges();  // they look at the server, perhaps at once
  register_health();
  for (const auto& wait : before_serving_) wait();
  for (const Background& part : background_) {
    threads_.emplace_back([work = part.work](std::stop_token stop) { work(stop); });
  }
  auto listening = server_->start();
  if (!listening) return listening;
  health_.set_started();
  log("runtime").info("listening", {{"port", static_cast<int>(server_->port())}});
  return core::success();
}

void RunningService::stop() {
  if (stopped_) return;
  stopped_ = true;
  health_.set_stopping();
  if (server_) {
    // The port stays open while something is under way: whoever finds it closed takes the process
    // for gone, and may give up what it still works at.
    const auto lingers = server_->port() != 0 ? settings_.linger : std::chrono::milliseconds(0);
    server_->retire(lingers, lingers + settings_.drain);
    const bool drained = server_->drain(settings_.drain);
    if (!drained) log("runtime").warning("requests were still in flight at the end of the drain");
    server_->stop();
  }
  for (auto& thread : threads_) thread.request_stop();
  threads_.clear();
  if (health_server_) health_server_->stop();
  log("runtime").info("stopped");
}

}  // namespace tideline::runtime
