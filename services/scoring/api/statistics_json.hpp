// Statistics as GET /v1/statistics shows them.
#pragma once

#include <string>

#include "scoring/projections/snapshot/statistics.hpp"

namespace tideline::scoring {

std::string statistics_json(const ScoreStatistics& statistics);

}  // namespace tideline::scoring
