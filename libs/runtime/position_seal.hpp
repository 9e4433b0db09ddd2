// Position tokens that only this installation can make: "<token>.<mac>", the mac being the keyed
// hash under the installation's secret (BLAKE2b-128), which all services share. Without it anybody
// could name positions that will never be reached, and every query that waits for them would hold a
// worker.
#pragma once

#include "crypto/account_ids.hpp"
#include "http/routing/router.hpp"

namespace tideline::runtime {

// The seal's functions are thread-safe and own a copy of the key.
http::PositionSeal make_position_seal(const crypto::AccountIds& keyed);

}  // namespace tideline::runtime
