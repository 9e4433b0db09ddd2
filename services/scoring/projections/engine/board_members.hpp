// Whom a board orders, and what it asks of anyone who keeps the table on them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "scoring/projections/engine/totals.hpp"

namespace tideline::scoring {

struct BoardEntry {
  std::int64_t points = 0;
  core::Timestamp reached_at;
  core::AccountId account;
  friend bool operator==(const BoardEntry&, const BoardEntry&) = default;
};

// Points falling, reached_at rising, account id rising.
struct BoardOrder {
  bool operator()(const BoardEntry& left, const BoardEntry& right) const {
    if (left.points != right.points) return left.points > right.points;
    if (left.reached_at != right.reached_at) return left.reached_at < right.reached_at;
    return left.account < right.account;
  }
};

struct BoardMember {
  MemberNumber number = 0;
  BoardEntry entry;
};

// The table of one board. A board holds of its members only what its ranks and lists need and looks
// the rest up here, so anyone who changes a member changes the table first and tells the board
// then.
//
// Not synchronized: as the board that asks.
class BoardMembers {
 public:
  using Visit = std::function<void(const BoardMember&)>;

  virtual ~BoardMembers() = default;
  // nullopt: not on the board (now).
  virtual std::optional<Totals> totals_of(MemberNumber member) const = 0;
  // That totals_of() will be asked of him: fetches what it looks at.
  virtual void prefetch(MemberNumber member) const = 0;
  // Of anybody who was ever on the board.
  virtual const core::AccountId& account_of(MemberNumber member) const = 0;
  // Visits every member with points from `lowest` to `highest`.
  virtual void scan(std::int64_t lowest, std::int64_t highest, const Visit& visit) const = 0;
};

}  // namespace tideline::scoring
