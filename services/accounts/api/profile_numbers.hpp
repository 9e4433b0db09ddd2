// What tables know of a person beside the profile: points and visits.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "accounts/projections/profile_visits.hpp"
#include "accounts/projections/score_queries.hpp"
#include "core/clock.hpp"

namespace tideline::accounts {

struct ProfileNumbers {
  std::optional<PublishedScore> score;
  VisitCounts visits;
};

// In the caller's transaction; any thread.
ProfileNumbers find_numbers(sql::Transaction& transaction, const core::AccountId& owner,
                            core::Day today);

// {"points", "level", "historyscore", "currentscore", "rank", "rank_as_of"}
nlohmann::json scores_json(const std::optional<PublishedScore>& score, core::Day today);
// {"today", "last_30_days", "total"}
nlohmann::json visits_json(const VisitCounts& visits);

}  // namespace tideline::accounts
