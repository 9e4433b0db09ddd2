// tideline-<service> --config FILE rebuild PROJECTION|--all [--verify] [--allow-difference]
//                                         [--abandon] | --list
//
// Builds the tables of projections anew while the service serves (projections/rebuild/rebuild.hpp):
// at the end one JSON object a projection on stdout, meanwhile progress on stderr. One process at a
// time for each projection. Exit code 1 when one was not rebuilt, or --verify found a difference.
#pragma once

#include "runtime/operations.hpp"

namespace tideline::runtime {

Operation rebuild_operation();

}  // namespace tideline::runtime
