// What this service knows of a person's scores. Runs in the caller's transaction; any thread.
#pragma once

#include <optional>

#include "accounts/projections/score_view.hpp"
#include "sql/transaction.hpp"

namespace tideline::accounts {

inline constexpr std::chrono::days kCurrentScoreSpan{30};

// nullopt: scoring has published nothing of that account, or that it is closed.
std::optional<PublishedScore> find_score(sql::Transaction& transaction,
                                         const core::AccountId& account);

// Contributions of the last 30 days, `today` of the campus among them. Exact for any day from two
// days before the score's as_of on: see schemas/states/scoring/Score.v1.json.
std::int64_t current_score(const PublishedScore& score, core::Day today);

extern const char* const kFindScoreSql;  // for the test of its plan

}  // namespace tideline::accounts
