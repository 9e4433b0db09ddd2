// Composition: from configuration to a running service, and back to nothing.
//
//   int main(int argc, char** argv) {
//     feed::Settings settings;
//     return tideline::runtime::run_service(argc, argv, {.name = "feed", ...});
//   }
//
// Start: settings (all mistakes reported together, exit 2), database and migrations, topics, the
// service's own parts, relay, projections, HTTP. Stop (SIGTERM, SIGINT): ready off, serve on for
// TIDELINE_LINGER_MS, then drain, flush, close, within 10 seconds. A second signal ends the process
// at once.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/config.hpp"
#include "core/random.hpp"
#include "crypto/account_ids.hpp"
#include "crypto/subject_cipher.hpp"
#include "eventsourcing/projections/state_topic.hpp"
#include "eventsourcing/store/event_store.hpp"
#include "http/client/client.hpp"
#include "http/routing/command_endpoint.hpp"
#include "http/routing/router.hpp"
#include "http/routing/signed_links.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "people/people_directory.hpp"
#include "people/profile_view.hpp"
#include "postgres/migrations/migrations.hpp"
#include "projections/runner/projection_runner.hpp"
#include "runtime/health.hpp"
#include "runtime/operations.hpp"
#include "sql/transaction.hpp"

namespace tideline::runtime {

// What queries wait on. For a model that lives in memory alone both are the same.
struct AppliedModel {
  eventsourcing::AppliedPositions& committed;
  eventsourcing::AppliedPositions& in_memory;
};

// The compacted topics of latest states.
enum class StateTopic {
  Profiles,  // tideline.profiles, published by accounts
  Scores,    // tideline.scores, published by scoring
};

// What a service is composed of. Valid from compose() until the process ends; the parts are
// thread-safe, the context itself is used by compose() alone.
class ServiceContext {
 public:
  virtual ~ServiceContext() = default;

  virtual const core::Clock& clock() = 0;
  virtual core::Random& random() = 0;
  virtual const core::CampusCalendar& campus() = 0;
  virtual sql::Database& database() = 0;
  virtual eventsourcing::EventStore& store() = 0;
  virtual eventsourcing::EventLog& event_log() = 0;
  virtual const crypto::AccountIds& account_ids() = 0;
  // Over this service's own subject keys.
  virtual crypto::SubjectCipher& cipher() = 0;
  virtual http::Router& router() = 0;
  virtual http::CommandEndpoint& commands() = 0;
  // Whether tokens of a session, under a password, were revoked. Any thread, never blocks for long.
  virtual std::function<bool(const http::Principal&)> is_revoked() = 0;
  // Addresses for what an <img> loads.
  virtual const http::SignedLinks& links() = 0;
  // How this instance asks others of its service over HTTP.
  virtual http::ClientOptions peer_options() = 0;
  virtual observability::Metrics& metrics() = 0;
  virtual observability::Log log(std::string_view name) = 0;

  // The directory of people and what a query on it waits on.
  virtual const people::PeopleDirectory& people() = 0;
  virtual eventsourcing::AppliedPositions& people_applied() = 0;

  // Told by the directory's profiles which department each account is of; see
  // people/profile_view.hpp.
  virtual void on_department(people::ProfileView::DepartmentSeen seen) = 0;
  // Told whose profiles have changed in the directory, likewise.
  virtual void on_profiles_changed(people::ProfileView::ProfilesChanged changed) = 0;

  // For the one service whose topic it is, and the one projection that publishes it.
  virtual eventsourcing::StatePublisher& state_publisher(StateTopic topic,
                                                         std::string projection) = 0;
  // Takes the view over and runs it on a thread of its own over that topic. `services`: from whose
  // events the states are made; queries wait on what is returned until they hold their positions.
  // Without any, nobody waits.
  virtual eventsourcing::AppliedPositions& add_state_view(
      StateTopic topic, std::unique_ptr<eventsourcing::StateView> view,
      std::vector<std::string> services = {}) = 0;

  // Takes the projection over and runs it on a thread of its own from the start of the service.
  virtual AppliedModel add_projection(std::unique_ptr<eventsourcing::Projection> projection) = 0;
  // Asks the runner of the projection of that name, which was added before, how far behind it is
  // and what its last problem was. The function may be called from any thread.
  virtual std::function<eventsourcing::RunnerStatus()> status_of(std::string_view projection) = 0;
  // Runs `work` on a thread of its own until its stop token says so.
  virtual void add_background(std::string name, std::function<void(std::stop_token)> work) = 0;
  // Called before any of these threads is there, when the service is to serve; may block, as long
  // as the process may be ended meanwhile.
  virtual void before_serving(std::function<void()> wait) = 0;
  // From then on others take over what this instance alone has; it still serves. Any thread.
  virtual bool is_stopping() const = 0;
  // A part of its own on /readyz: `look` is asked from any thread and must be quick.
  virtual void add_health(std::string part, std::function<PartHealth()> look) = 0;
  // Lines of a part that knows no logger: level ("info", "warning", "error"), text.
  virtual std::function<void(std::string_view, const std::string&)> log_lines(
      std::string_view name) = 0;
  // Keeps a part alive as long as the service runs.
  virtual void keep(std::shared_ptr<void> part) = 0;

  template <class Part, class... Arguments>
  Part& make(Arguments&&... arguments) {
    auto part = std::make_shared<Part>(std::forward<Arguments>(arguments)...);
    keep(part);
    return *part;
  }
};

struct ServiceDefinition {
  std::string name;     // as in its topic and database
  std::string version;  // of the build
  std::vector<postgres::Migration> migrations;
  // Whether the service keeps the directory of people.
  bool uses_people = true;
  // Whether it goes on serving from memory while its database does not answer.
  bool serves_from_memory = false;
  // Whether its database has the table of libs/blocks, which a projection of its own fills.
  bool keeps_blocks = false;
  // Whether it keeps what people upload (libs/uploads), which needs the directory of people.
  bool keeps_uploads = false;
  // Reads the service's own settings; may be empty. Called before anything is started.
  std::function<void(core::Config&)> read_settings = nullptr;
  std::function<void(ServiceContext&)> compose = nullptr;
  // Subcommands of this service alone, beside those that all have.
  std::vector<Operation> operations{};
};

// Returns the exit code: 0 after a graceful stop, 1 when the start failed, 2 for bad settings or
// arguments (--config FILE, --check, --version, --help). With a subcommand it does not serve but
// carries out that operation (runtime/operations.hpp) and returns its code.
int run_service(int argc, char** argv, const ServiceDefinition& definition);

}  // namespace tideline::runtime
