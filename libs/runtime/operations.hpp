// What a service's binary does besides serving: tools for its operator, one subcommand each.
//
//   tideline-feed --config FILE rebuild feed --verify
//
// An operation runs in a process of its own while the service serves elsewhere. It gets the service
// composed but not started: its settings, its database (migrated) and its projections, but no
// relay, no consumer, no HTTP. Results go to stdout, log lines and progress to stderr.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): it is CLI11's
class App;
}

namespace tideline::runtime {

class RunningService;

struct Operation {
  // Returns the exit code: 0 done, 1 failed. Stops soon when its token says so (SIGTERM, SIGINT).
  using Run = std::function<int(RunningService&, std::stop_token)>;

  std::string name;
  std::string summary;
  // Declares the subcommand's arguments; what it returns is called after they have been parsed.
  std::function<Run(CLI::App&)> declare;
  // Whether it brings the databases to this version whatever TIDELINE_MIGRATIONS says.
  bool migrates = false;
};

// Of every service; one may have more of its own (ServiceDefinition::operations).
std::vector<Operation> operations();

}  // namespace tideline::runtime
