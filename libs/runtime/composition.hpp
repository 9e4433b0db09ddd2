// A service put together: the ServiceContext, and the threads that keep it going.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kafka/consumer.hpp"
#include "kafka/gaps.hpp"
#include "kafka/relay.hpp"
#include "kafka/state_topic.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/store/event_store.hpp"
#include "postgres/store/relay_checkpoints.hpp"
#include "postgres/store/subject_keys.hpp"
#include "projections/runner/state_publication.hpp"
#include "projections/runner/state_topic_runner.hpp"
#include "revocations/revoked_tokens.hpp"
#include "runtime/append_log.hpp"
#include "runtime/append_spans.hpp"
#include "runtime/edge_adapters.hpp"
#include "runtime/health.hpp"
#include "runtime/log_places.hpp"
#include "runtime/projection_spans.hpp"
#include "runtime/secrets.hpp"
#include "runtime/service.hpp"
#include "runtime/settings.hpp"

namespace tideline::runtime {

// Operate: composed for an operator's tool, beside the process that serves. It joins no consumer
// group and is never started.
enum class Purpose { Serve, Operate };

// Made once. Members are destroyed in reverse order, so what others refer to comes first.
class RunningService final : public ServiceContext {
 public:
  RunningService(const ServiceDefinition& definition, const CommonSettings& settings,
                 Secrets secrets, observability::Logging& logging, core::Clock& clock,
                 core::Random& random, Purpose purpose = Purpose::Serve);
  ~RunningService() override;

  // Waits for the database, runs the migrations, composes.
  core::Status compose();
  // compose(), then starts every thread and listens.
  core::Status start();
  // Ready off, drain, flush, close. Idempotent.
  void stop();
  std::uint16_t port() const { return server_->port(); }

  postgres::PostgresSubjectKeys& subject_keys() { return subject_keys_; }
  // For operations: what the service is composed of.
  std::vector<eventsourcing::Projection*> projections() const;
  const ServiceDefinition& definition() const { return definition_; }
  const CommonSettings& settings() const { return settings_; }
  const postgres::DatabaseOptions& postgres_options() const { return database_.options(); }
  postgres::LogDatabases log_databases() const { return log_pools_.databases(); }
  // The steps that make the tables of the read models, without those of the event store.
  std::vector<postgres::MigrationSet> model_migrations() const;
  // As the runner of `projection` reads its events, but all partitions and in no group.
  kafka::ConsumerOptions lone_consumer(const eventsourcing::Projection& projection) const;
  kafka::GapReporter& gaps() { return gaps_; }
  std::function<void(std::string_view, const std::string&)> log_lines(
      std::string_view name) override;

  const core::Clock& clock() override { return clock_; }
  core::Random& random() override { return random_; }
  const core::CampusCalendar& campus() override { return *secrets_.campus; }
  sql::Database& database() override { return database_; }
  eventsourcing::EventStore& store() override { return store_; }
  eventsourcing::EventLog& event_log() override { return store_; }
  const crypto::AccountIds& account_ids() override { return secrets_.account_ids; }
  crypto::SubjectCipher& cipher() override { return cipher_; }
  http::Router& router() override { return router_; }
  http::CommandEndpoint& commands() override { return commands_; }
  std::function<bool(const http::Principal&)> is_revoked() override {
    return [this](const http::Principal& principal) {
      return revoked_tokens_.contains(principal.account, principal.session_id,
                                      principal.password_version);
    };
  }
  const http::SignedLinks& links() override { return *links_; }
  http::ClientOptions peer_options() override;
  observability::Metrics& metrics() override { return metrics_; }
  observability::Log log(std::string_view name) override { return logging_.logger(name); }
  const people::PeopleDirectory& people() override { return people_; }
  eventsourcing::AppliedPositions& people_applied() override;
  void on_department(people::ProfileView::DepartmentSeen seen) override;
  void on_profiles_changed(people::ProfileView::ProfilesChanged changed) override;
  eventsourcing::StatePublisher& state_publisher(StateTopic topic, std::string projection) override;
  eventsourcing::AppliedPositions& add_state_view(StateTopic topic,
                                                  std::unique_ptr<eventsourcing::StateView> view,
                                                  std::vector<std::string> services = {}) override;
  AppliedModel add_projection(std::unique_ptr<eventsourcing::Projection> projection) override;
  std::function<eventsourcing::RunnerStatus()> status_of(std::string_view projection) override;
  void add_background(std::string name, std::function<void(std::stop_token)> work) override;
  void before_serving(std::function<void()> wait) override;
  bool is_stopping() const override { return health_.is_stopping(); }
  void add_health(std::string part, std::function<PartHealth()> look) override {
    health_.add(std::move(part), std::move(look));
  }
  void keep(std::shared_ptr<void> part) override { kept_.push_back(std::move(part)); }

 private:
  // A projection with the runner that drives it.
  struct Model {
    std::string name;
    std::unique_ptr<eventsourcing::Projection> projection;
    std::unique_ptr<ProjectionSpans> spans;  // null: nobody collects them
    std::unique_ptr<projections::ProjectionRunner> runner;
  };

  // A view of a topic of latest states, likewise.
  struct States {
    std::string name;
    std::unique_ptr<eventsourcing::StateView> view;
    std::unique_ptr<projections::StateTopicRunner> runner;
  };

  // Publishes the logs of one database.
  struct DatabaseRelay {
    DatabaseRelay(const postgres::DatabaseOptions& database, eventsourcing::EventLog& events,
                  std::function<void(std::string_view, const std::string&)> log,
                  kafka::RelayOptions options)
        : checkpoints(database), relay({events, checkpoints, std::move(log)}, std::move(options)) {}

    postgres::PostgresRelayCheckpoints checkpoints;
    kafka::Relay relay;
  };

  core::Status prepare_databases();
  core::Status add_revocations();
  void make_relays();
  bool all_databases_answer();
  PartHealth relay_health() const;
  void keep_topics_there(std::stop_token stop);
  void add_people();
  void add_gauges();
  void register_health();
  core::Status start_health_server();

  const ServiceDefinition& definition_;
  const CommonSettings& settings_;
  Secrets secrets_;
  observability::Logging& logging_;
  const core::Clock& clock_;
  core::Random& random_;
  const Purpose purpose_;

  observability::Metrics metrics_;
  // None: nobody collects spans, and nothing is there that would make them.
  std::unique_ptr<observability::SpanExporter> spans_;
  postgres::PooledDatabase database_;
  LogPools log_pools_;
  std::unique_ptr<AppendSpans> append_spans_;
  AppendLog append_log_;
  postgres::PostgresEventStore store_;
  postgres::PostgresSubjectKeys subject_keys_;
  crypto::SubjectCipher cipher_;
  people::PeopleDirectory people_;
  revocations::RevokedTokens revoked_tokens_;
  const std::shared_ptr<const http::SignedLinks> links_;
  http::Router router_;
  http::CommandEndpoint commands_;
  RecordingObserver observer_;
  kafka::GapReporter gaps_;
  // One for each database that holds logs.
  std::vector<std::unique_ptr<DatabaseRelay>> relays_;
  std::vector<std::unique_ptr<projections::StatePublication>> state_publications_;
  std::vector<States> state_views_;
  people::ProfileView* profile_view_ = nullptr;  // one of these
  std::vector<std::shared_ptr<void>> kept_;
  std::vector<Model> models_;
  eventsourcing::AppliedPositions* people_applied_ = nullptr;
  std::atomic<bool> topics_there_{false};
  Health health_;
  Pulse databases_{[this] { return all_databases_answer(); }};
  http::Router health_router_;
  std::unique_ptr<http::Server> health_server_;
  std::unique_ptr<http::Server> server_;

  struct Background {
    std::string name;
    std::function<void(std::stop_token)> work;
  };
  std::vector<std::function<void()>> before_serving_;
  std::vector<Background> background_;
  std::vector<std::jthread> threads_;  // last: they stop before anything that they use goes
  bool stopped_ = false;
};

}  // namespace tideline::runtime
