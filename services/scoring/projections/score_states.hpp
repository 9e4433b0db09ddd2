// What the tables say of people, as it is published (score_publisher.hpp). Blocks on the database.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "sql/transaction.hpp"

namespace tideline::scoring {

struct ScoreState {
  core::AccountId account;
  std::int64_t version = 0;  // events that have counted for the account
  std::int64_t points = 0;
  std::int64_t contributions = 0;  // of all days
  // Campus days that are not empty, in order, and what was contributed on each.
  std::vector<core::Day> days;
  std::vector<std::int64_t> day_contributions;
  bool closed = false;
  friend bool operator==(const ScoreState&, const ScoreState&) = default;
};

// Those of `accounts` that the tables know, by account id; days from the month of `from` on. One
// statement, so each state is that of its version.
std::vector<ScoreState> find_score_states(sql::Transaction& transaction,
                                          std::span<const core::AccountId> accounts,
                                          core::Day from);

}  // namespace tideline::scoring
