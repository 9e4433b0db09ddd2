// The subcommand `migrate`: brings the databases to what this version needs, and ends. For
// installations that set TIDELINE_MIGRATIONS=await, so that one process does it before a roll.
#pragma once

#include "runtime/operations.hpp"

namespace tideline::runtime {

Operation migrate_operation();

}  // namespace tideline::runtime
