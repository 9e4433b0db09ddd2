// tideline-<service> --config FILE recover
//
// After PostgreSQL was put back to an older copy: takes back from the service's topic the events
// that the database lacks (postgres/recovery/log_recovery.hpp). While the service does not run.
#pragma once

#include "runtime/operations.hpp"

namespace tideline::runtime {

Operation recover_operation();

}  // namespace tideline::runtime
