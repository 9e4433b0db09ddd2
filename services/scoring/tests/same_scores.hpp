// Whether two engines answer the same. How many people they have heard of may differ: a snapshot
// also holds some of whom nothing is left that counts.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "scoring/projections/engine/score_engine.hpp"
#include "scoring/tests/histories.hpp"

namespace tideline::scoring {

// What differs first, of the people 1 to `people` and the boards of these days; "" if nothing does.
inline std::string difference(const ScoreEngine& one, const ScoreEngine& other, std::uint8_t people,
                              const std::vector<core::Day>& days) {
  std::vector<BoardName> boards = {{}};
  for (const core::Day day : days) {
    for (const Span span : kSpans) boards.push_back({.period = {{span, day}}});
  }
  for (const BoardName& board : boards) {
    const std::string name = board.period
                                 ? "board of " + core::format_day(board.period->day) + ", span " +
                                       std::to_string(static_cast<int>(board.period->span))
                                 : "board of all time";
    if (one.page({.limit = 1000}, board).items != other.page({.limit = 1000}, board).items)
      return name;
    for (std::uint8_t who = 1; who <= people; ++who) {
      const Total left = one.total(account_with(who), board);
      const Total right = other.total(account_with(who), board);
      if (left.points != right.points || left.rank != right.rank || left.below != right.below ||
          left.points_of_all_time != right.points_of_all_time) {
        return name + ", person " + std::to_string(who);
      }
    }
  }
  const EngineStatus left = one.status();
  const EngineStatus right = other.status();
  if (left.members != right.members) return "members";
  if (left.cap_counters != right.cap_counters) return "counters";
  if (left.periods != right.periods) return "periods";
  return "";
}

inline std::vector<core::Day> days_from(core::Day first, int count) {
  std::vector<core::Day> days;
  for (int i = 0; i < count; ++i) days.push_back(first + std::chrono::days(i));
  return days;
}

}  // namespace tideline::scoring
