// The table of a board as a plain map, and how often they were asked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "scoring/projections/engine/board_members.hpp"

namespace tideline::scoring {

class PlainMembers final : public BoardMembers {
 public:
  std::map<MemberNumber, BoardEntry> entries;
  mutable std::size_t scans = 0;
  mutable std::size_t visited = 0;

  std::optional<Totals> totals_of(MemberNumber member) const override {
    const auto found = entries.find(member);
    if (found == entries.end()) return std::nullopt;
    return Totals{found->second.points, found->second.reached_at};
  }
  void prefetch(MemberNumber /*member*/) const override {}
  const core::AccountId& account_of(MemberNumber member) const override {
    return accounts_.at(member);
  }
  void scan(std::int64_t lowest, std::int64_t highest, const Visit& visit) const override {
    ++scans;
    for (const auto& [number, entry] : entries) {
      if (entry.points < lowest || entry.points > highest) continue;
      ++visited;
      visit({number, entry});
    }
  }

  // What he had before; nullopt: he was not on the board. He leaves with nullopt.
  std::optional<BoardEntry> put(MemberNumber member, const std::optional<BoardEntry>& entry) {
    std::optional<BoardEntry> before;
    if (const auto found = entries.find(member); found != entries.end()) before = found->second;
    if (entry) {
      entries.insert_or_assign(member, *entry);
      accounts_.insert_or_assign(member, entry->account);
    } else {
      entries.erase(member);
    }
    return before;
  }

  std::vector<BoardEntry> sorted() const {
    std::vector<BoardEntry> list;
    for (const auto& [number, entry] : entries) list.push_back(entry);
    std::sort(list.begin(), list.end(), [](const BoardEntry& a, const BoardEntry& b) {
      return std::tuple(-a.points, a.reached_at, a.account) <
             std::tuple(-b.points, b.reached_at, b.account);
    });
    return list;
  }

 private:
  std::map<MemberNumber, core::AccountId> accounts_;  // also of those who left
};

}  // namespace tideline::scoring
