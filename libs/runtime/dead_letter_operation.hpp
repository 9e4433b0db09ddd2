// The operation "dead-letters": parked events of this service's projections, listed, applied again,
// or skipped for good. What that means is in postgres/projections/dead_letters.hpp.
//
//   tideline-feed --config FILE dead-letters [--json]
//   tideline-feed --config FILE dead-letters replay PROJECTION [SERVICE/LOG/POSITION ...]
//   tideline-feed --config FILE dead-letters skip PROJECTION SERVICE/LOG/POSITION
//                 --reason TEXT --by NAME
#pragma once

#include "runtime/operations.hpp"

namespace tideline::runtime {

Operation dead_letter_operation();

}  // namespace tideline::runtime
