#include <pthread.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "runtime/arguments.hpp"
#include "runtime/composition.hpp"
#include "runtime/service.hpp"

namespace tideline::runtime {
namespace {

constexpr int kExitStartFailed = 1;
constexpr int kExitBadSettings = 2;

// Blocks the stop signals in this thread and all that it will start, so that only wait() sees them.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    signal(SIGPIPE, SIG_IGN);
  }

  void wait() const {
    int received = 0;
    sigwait(&signals_, &received);
    // From here on a second signal ends the process in the ordinary way.
    pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
  }

  bool came_within_200_ms() const {
    const timespec limit{0, 200'000'000};
    if (sigtimedwait(&signals_, nullptr, &limit) < 0) return false;
    pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
    return true;
  }

 private:
  sigset_t signals_;
};

// Runs until it is done; a stop signal asks it to end.
int operate(const Operation::Run& run, RunningService& service, const StopSignals& signals) {
  std::stop_source stop;
  const std::jthread watch([&](const std::stop_token& done) {
    while (!done.stop_requested()) {
      if (signals.came_within_200_ms()) return void(stop.request_stop());
    }
  });
  return run(service, stop.get_token());
}

int report(const std::vector<std::string>& mistakes) {
  std::fprintf(stderr, "%zu mistake%s in the settings:\n", mistakes.size(),
               mistakes.size() == 1 ? "" : "s");
  for (const std::string& mistake : mistakes) std::fprintf(stderr, "  %s\n", mistake.c_str());
  return kExitBadSettings;
}

}  // namespace

int run_service(int argc, char** argv, const ServiceDefinition& definition) {
  const auto read = read_arguments(argc, argv, definition.name, definition.version, operations());
  if (const int* code = std::get_if<int>(&read)) return *code;
  const auto& arguments = std::get<Arguments>(read);

  auto config = core::Config::load(arguments.config_file);
  if (!config) return report({config.error().message});
  const CommonSettings settings = CommonSettings::read(*config);
  if (definition.read_settings) definition.read_settings(*config);
  auto secrets = Secrets::load(settings, *config);
  if (const auto mistakes = config->mistakes(); !mistakes.empty()) return report(mistakes);
  if (arguments.check_only) return 0;

  const StopSignals signals;
  core::SystemClock clock;
  core::SystemRandom random;
  observability::Logging logging({definition.name, settings.log_level, {}, {}}, clock);
  const bool operates = static_cast<bool>(arguments.operation);
  RunningService service(definition, settings, *std::move(secrets), logging, clock, random,
                         operates ? Purpose::Operate : Purpose::Serve);
  if (operates) {
    if (const auto composed = service.compose(); !composed) {
      logging.logger("runtime").error("cannot operate", {{"reason", composed.error().message}});
      return kExitStartFailed;
    }
    return operate(arguments.operation, service, signals);
  }
  if (const auto started = service.start(); !started) {
    logging.logger("runtime").error("start failed", {{"reason", started.error().message}});
    return kExitStartFailed;
  }
  signals.wait();
  logging.logger("runtime").info("stopping");
  service.stop();
  return 0;
}

}  // namespace tideline::runtime
