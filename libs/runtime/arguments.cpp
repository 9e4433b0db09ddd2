#include "runtime/arguments.hpp"

#include <CLI/CLI.hpp>

namespace tideline::runtime {

std::variant<Arguments, int> read_arguments(int argc, char** argv, const std::string& service,
                                            const std::string& version,
                                            const std::vector<Operation>& operations) {
  Arguments arguments;
  arguments.parser = std::make_shared<CLI::App>(
      "Tideline's service " + service +
      ". Settings are KEY=VALUE lines of a file; the environment overrides them.");
  CLI::App& app = *arguments.parser;
  std::string file;
  app.add_option("--config", file, "file of settings");
  app.add_flag("--check", arguments.check_only, "report mistakes in the settings and exit");
  app.set_version_flag("--version", "tideline-" + service + " " + version);
  app.require_subcommand(0, 1);
  for (const Operation& operation : operations) {
    CLI::App* command = app.add_subcommand(operation.name, operation.summary);
    command->final_callback(
        [&arguments, run = operation.declare(*command), migrates = operation.migrates] {
          arguments.operation = run;
          arguments.migrates = migrates;
        });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    const int code = app.exit(stop);
    return code == 0 ? 0 : 2;
  }
  if (!file.empty()) arguments.config_file = file;
  return arguments;
}

}  // namespace tideline::runtime
