// Runs a projection until it has applied what its topics hold, and stops.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#include "core/result.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "eventsourcing/topics/record_source.hpp"
#include "projections/runner/projection_runner.hpp"

namespace tideline::projections {

// Blocks; where the projection stands then. `begun` gets the positions before anything is applied.
// nullopt: stop was requested before. Internal: an event could not be applied.
core::Result<std::optional<eventsourcing::PartitionPlaces>> catch_up(
    eventsourcing::Projection& projection, RunnerPorts ports, std::uint32_t logs,
    const std::function<void(eventsourcing::AppliedPositions&)>& begun,
    const std::stop_token& stop);

}  // namespace tideline::projections
