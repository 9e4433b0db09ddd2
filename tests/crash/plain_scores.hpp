// What a history comes to: plain counts of every person, day and reason, and sums over them. Shares
// nothing with the engine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "crash/score_history.hpp"
#include "scoring/tests/plain_rules.hpp"

namespace tideline::crash {

// Tables as texts, so that a difference can be printed: key -> value.
using PlainTable = std::map<std::string, std::string>;

struct PlainScores {
  PlainTable score;      // "<uuid>" -> "<points> <reached us> <standing> <contributions> <events>"
  PlainTable day_score;  // "<uuid> <day>" -> "<points> <reached us>"
  PlainTable calendar;   // "<uuid> <day>" -> "<contributions>", where there are any
  PlainTable ledger;     // "<uuid> <day> <reason>" -> "<rows> <points> <cap>"
  // The board: points falling, the earlier first.
  struct Place {
    std::int64_t points = 0;
    std::int64_t reached_us = 0;
    core::AccountId account;
    std::uint64_t rank = 0;
  };
  std::vector<Place> board;
  std::int64_t points = 0;
  std::int64_t contributions = 0;
  std::uint64_t capped = 0;  // events behind a cap
};

// Of `people` accounts, in whatever order the events come.
PlainScores recompute(const std::vector<Happened>& events, std::size_t people,
                      const scoring::PlainRuleStream& rules);

}  // namespace tideline::crash
