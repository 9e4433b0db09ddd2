// tideline-<service> --config FILE wrap-keys
//
// Wraps the keys of all subjects by the last of TIDELINE_WRAPPING_KEYS, while the service serves.
// Stopped, it goes on when it is given again. Exit code 1 when not all were wrapped.
#pragma once

#include "runtime/operations.hpp"

namespace tideline::runtime {

Operation wrap_keys_operation();

}  // namespace tideline::runtime
