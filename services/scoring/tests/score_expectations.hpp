// An engine and its tables against a plain recomputation, within a rapidcheck property.
#pragma once

#include <rapidcheck.h>

#include <map>
#include <string>

#include "scoring/projections/engine/score_engine.hpp"
#include "scoring/tests/recomputation.hpp"
#include "scoring/tests/tables_for_tests.hpp"

namespace tideline::scoring {

inline void expect_board(const ScoreEngine& engine, const Expected& expected) {
  const auto page = engine.page({.limit = 1000});
  RC_ASSERT(page.items.size() == expected.board.size());
  for (std::size_t i = 0; i < page.items.size(); ++i) {
    const auto& [negated, reached, account] = expected.board[i];
    const BoardEntry& entry = page.items[i].entry;
    RC_ASSERT(entry.points == -negated);
    RC_ASSERT(entry.reached_at.time_since_epoch().count() == reached);
    RC_ASSERT(entry.account == account);
    std::uint64_t above = 0;
    for (const auto& other : expected.board) above += std::get<0>(other) < negated ? 1 : 0;
    RC_ASSERT(page.items[i].rank == above + 1);
    RC_ASSERT(engine.total(account).rank == above + 1);
    const auto around = engine.around(account, 1);
    const std::size_t own = i == 0 ? 0 : 1;
    RC_ASSERT(around.size() == own + 1 + (i + 1 < page.items.size() ? 1 : 0));
    RC_ASSERT(around[own].entry == entry);
  }
}

inline void expect_totals(const ScoreEngine& engine, Expected& expected) {
  for (std::uint8_t who = 1; who <= kPeople; ++who) {
    const std::string name = account_with(who).to_string();
    const Total total = engine.total(account_with(who));
    RC_ASSERT(total.points == expected.points[name]);
    RC_ASSERT(total.rank.has_value() == expected.members.contains(name));
  }
}

inline void expect_calendar(const TablesForTests& tables, const Expected& expected) {
  std::map<std::string, std::map<std::int64_t, std::int64_t>> found;
  for (const auto& [key, days] : tables.months) {
    const auto& [account, year, month] = key;
    const auto first = core::parse_day(std::to_string(year) + (month < 10 ? "-0" : "-") +
                                       std::to_string(month) + "-01");
    for (std::size_t i = 0; i < days.size(); ++i) {
      if (days.at(i) == 0) continue;
      const auto name = core::AccountId::parse_uuid(account)->to_string();
      found[name][first->time_since_epoch().count() + static_cast<int>(i)] = days.at(i);
    }
  }
  RC_ASSERT(found == expected.contributions);
}

}  // namespace tideline::scoring
