// The boards of a day, a week and a month of the campus: who earned how much in that time.
//
// Of each there are two, the newest period of which anything is known and the one before it, which
// stays as it ended but for events that come late. A newer event begins the next period; until one
// has come, a question for today finds no board, which is the same as an empty one. So boards begin
// anew by the calendar and not by a clock, and any interleaving of events gives the same.
//
// Not synchronized.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/clock.hpp"
#include "scoring/projections/engine/member_register.hpp"
#include "scoring/projections/engine/rank_board.hpp"
#include "scoring/projections/engine/totals.hpp"

namespace tideline::scoring {

enum class Span : std::uint8_t { Day, Week, Month };
inline constexpr std::array kSpans = {Span::Day, Span::Week, Span::Month};

// The first day of the period that holds the day; weeks begin on Mondays.
core::Day period_of(Span span, core::Day day);
core::Day period_before(Span span, core::Day first);

// One period: what members have in it, and the board of those who are shown.
class Period final : public BoardMembers {
 public:
  // The register outlives the period.
  Period(core::Day first_day, std::size_t band_members, const MemberRegister& members);

  std::optional<Totals> totals_of(MemberNumber member) const override {
    return members_.on_board(member) ? totals.find(member) : std::nullopt;
  }
  const core::AccountId& account_of(MemberNumber member) const override {
    return members_.account(member);
  }
  void scan(std::int64_t lowest, std::int64_t highest, const Visit& visit) const override;

  const core::Day first;
  PeriodTotals totals;
  RankBoard board;

 private:
  const MemberRegister& members_;
};

class Periods {
 public:
  // The register outlives the periods.
  Periods(Span span, std::size_t band_members, const MemberRegister& members);
  Periods(const Periods&) = delete;
  Periods& operator=(const Periods&) = delete;

  // The period that holds the day, begun if it is the newest; nullptr: it is older than both.
  Period* of(core::Day day);
  // nullptr: nothing is known of it.
  const Period* find(core::Day day) const;
  // Those that there are.
  std::vector<Period*> all() const;

  std::size_t bytes() const;

 private:
  std::unique_ptr<Period> begin(core::Day first) const;

  const Span span_;
  const std::size_t band_members_;
  const MemberRegister& members_;
  std::unique_ptr<Period> newest_;
  std::unique_ptr<Period> before_;  // immediately before the newest
};

}  // namespace tideline::scoring
