// Sweeps uploads that nothing refers to, again and again. Each replica of a service may: what one
// has deleted the other does not find.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "core/result.hpp"
#include "eventsourcing/projections/runner_status.hpp"
#include "sql/transaction.hpp"
#include "uploads/content_store.hpp"

namespace tideline::uploads {

struct SweeperPorts {
  sql::Database& database;
  // Of the projection of `references`. While its read model is not of these minutes nothing is
  // swept: an event that names an upload might not be in it yet.
  std::function<eventsourcing::RunnerStatus()> status;
  References references;
  std::function<void(const core::Result<std::int64_t>& swept)> report;
};

// Blocks until stopped; a sweep that is under way is finished.
void keep_swept(const SweeperPorts& ports, std::chrono::milliseconds interval,
                std::stop_token stop);

}  // namespace tideline::uploads
