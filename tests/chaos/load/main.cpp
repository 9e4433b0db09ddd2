// The load of the chaos test: tests/chaos/run starts it. Exit code 0: it ran to its end; 1: it
// could not; 2: bad arguments.
#include <CLI/CLI.hpp>

#include <cstdio>

#include "run.hpp"

int main(int argc, char** argv) {
  using namespace tideline::chaos;
  Options options;
  std::string gateway;
  CLI::App app("Sends random commands through Tideline's gateway and keeps a journal.");
  app.add_option("--gateway", gateway, "URL of the gateway")->required();
  app.add_option("--run", options.run, "first part of all user ids")->required();
  app.add_option("--journal", options.journal, "file for what was asked and answered")->required();
  app.add_option("--accounts", options.accounts, "file of the accounts")->required();
  app.require_subcommand(1);
  CLI::App* load = app.add_subcommand("load", "send commands");
  load->add_option("--people", options.people)->check(CLI::Range(2, 100'000));
  load->add_option("--workers", options.workers)->check(CLI::Range(1, 512));
  load->add_option("--seed", options.seed);
  CLI::App* read = app.add_subcommand("read", "read back what everybody sees");
  read->add_option("--out", options.out)->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    return app.exit(stop) == 0 ? 0 : 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    options.gateway = tideline::demo::parse_endpoint(gateway);
    options.workers = std::min(options.workers, options.people / 2);
    if (*load) {
      run_load(options);
    } else {
      read_back(options);
    }
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "FAILED: %s\n", failure.what());
    return 1;
  }
}
