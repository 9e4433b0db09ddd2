// The command line of a service: --config FILE, --check, --version, --help, or an operation.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/operations.hpp"

namespace tideline::runtime {

struct Arguments {
  std::optional<std::string> config_file;
  bool check_only = false;   // read the settings, report the mistakes, do not start
  Operation::Run operation;  // empty: serve
  bool migrates = false;     // as Operation::migrates
  // The operation looks at what was parsed when it runs.
  std::shared_ptr<CLI::App> parser;
};

// Arguments, or the code to exit with at once (help and version have been printed then).
std::variant<Arguments, int> read_arguments(int argc, char** argv, const std::string& service,
                                            const std::string& version,
                                            const std::vector<Operation>& operations);

}  // namespace tideline::runtime
