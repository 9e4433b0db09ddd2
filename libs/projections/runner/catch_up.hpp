// Runs a projection until it has applied what its topics hold, and stops.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "core/result.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "eventsourcing/topics/record_source.hpp"
#include "projections/runner/projection_runner.hpp"

namespace tideline::projections {

// Blocks. `begun` gets the positions before anything is applied; they live until this returns.
// `then` gets where the projection stands when it has caught up, and its Status is what comes of
// it. False: stop was requested before. Internal: an event could not be applied.
core::Result<bool> catch_up(eventsourcing::Projection& projection, RunnerPorts ports,
                            std::uint32_t logs,
                            const std::function<void(eventsourcing::AppliedPositions&)>& begun,
                            const std::function<core::Status(eventsourcing::PartitionPlaces)>& then,
                            const std::stop_token& stop);

}  // namespace tideline::projections
