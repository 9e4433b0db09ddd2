#include "runtime/migrate_operation.hpp"

#include <cstdio>

namespace tideline::runtime {

// Whatever is composed has prepared its databases.
Operation migrate_operation() {
  return {"migrate", "bring the databases to what this version needs",
          [](CLI::App&) -> Operation::Run {
            return [](RunningService&, const std::stop_token&) {
              std::puts("the databases are as this version needs them");
              return 0;
            };
          },
          true};
}

}  // namespace tideline::runtime
