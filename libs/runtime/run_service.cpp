#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
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
    let_the_next_end_the_process();
  }

  // Takes one that has come or comes shortly; the next one is waited for in the same way.
  bool came_within_50_ms() const {
    const timespec limit{0, 50'000'000};
    return sigtimedwait(&signals_, nullptr, &limit) >= 0;
  }
  void let_the_next_end_the_process() const { pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr); }

 private:
  sigset_t signals_;
};

// Ends the process at once when a stop signal comes before the start is over: no request is in
// flight yet, and neither a connection attempt nor the wait for another process's migration can be
// told to end.
class EndDuringStart {
 public:
  EndDuringStart(const StopSignals& signals, observability::Log log)
      : thread_([this, &signals, log](const std::stop_token& done) {
          while (!done.stop_requested()) {
            if (!signals.came_within_50_ms()) continue;
            if (started_) return void(came_late_ = true);
            log.info("stopped before the start was over");
            std::_Exit(0);
          }
        }) {}

  // The start is over. True if a signal came just then, so that no other is to be waited for.
  bool finish() {
    started_ = true;
    thread_.request_stop();
    thread_.join();
    return came_late_;
  }

 private:
  std::atomic<bool> started_{false};
  bool came_late_ = false;
  std::jthread thread_;
};

// Runs until it is done; a stop signal asks it to end.
int operate(const Operation::Run& run, RunningService& service, const StopSignals& signals) {
  std::stop_source stop;
  const std::jthread watch([&](const std::stop_token& done) {
    while (!done.stop_requested()) {
      if (!signals.came_within_50_ms()) continue;
      signals.let_the_next_end_the_process();
      stop.request_stop();
      return;
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
  std::vector<Operation> known = operations();
  known.insert(known.end(), definition.operations.begin(), definition.operations.end());
  const auto read = read_arguments(argc, argv, definition.name, definition.version, known);
  if (const int* code = std::get_if<int>(&read)) return *code;
  const auto& arguments = std::get<Arguments>(read);

  auto config = core::Config::load(arguments.config_file);
  if (!config) return report({config.error().message});
  CommonSettings settings = CommonSettings::read(*config);
  if (arguments.migrates) settings.migrations = Migrations::Run;
  if (definition.read_settings) definition.read_settings(*config);
  auto secrets = Secrets::load(settings, *config);
  if (const auto mistakes = config->mistakes(); !mistakes.empty()) return report(mistakes);
  if (arguments.check_only) return 0;

  const StopSignals signals;
  core::SystemClock clock;
  core::SystemRandom random;
  const bool operates = static_cast<bool>(arguments.operation);
  // The file is the service's, which may run beside an operation.
  const std::string log_file = operates ? "" : settings.log_file;
  std::optional<observability::Logging> made_logging;
  try {
    made_logging.emplace(
        observability::LoggingOptions{definition.name, settings.log_level, {}, {}, log_file},
        clock);
  } catch (const std::runtime_error& error) {
    return report({std::string("TIDELINE_LOG_FILE: ") + error.what()});
  }
  observability::Logging& logging = *made_logging;
  RunningService service(definition, settings, *std::move(secrets), logging, clock, random,
                         operates ? Purpose::Operate : Purpose::Serve);
  EndDuringStart end_during_start(signals, logging.logger("runtime"));
  const auto ready = operates ? service.compose() : service.start();
  const bool stop_came = end_during_start.finish();
  if (!ready) {
    logging.logger("runtime").error("start failed", {{"reason", ready.error().message}});
    // Whoever starts it looks here first.
    if (!log_file.empty())
      std::fprintf(stderr, "start failed: %s\n", ready.error().message.c_str());
    return kExitStartFailed;
  }
  if (operates) return stop_came ? 0 : operate(arguments.operation, service, signals);
  if (!stop_came) signals.wait();
  logging.logger("runtime").info("stopping");
  service.stop();
  return 0;
}

}  // namespace tideline::runtime
