// The boards of a day, a week and a month of the campus: who earned how much in that time, of
// everybody and by department.
//
// A period begins with its first event and is shown to who asks for it by his own clock: one of
// which nothing is known is the same as an empty one. Events never end a period, so one with a time
// far ahead counts in a period of its own and takes no board away. Periods are forgotten from
// outside, by a clock; what comes for them afterwards is not counted. So as long as that clock is
// not ahead of the readers', any interleaving of events gives the same for the period of today, for
// the one before it and for all to come.
//
// Not synchronized.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/clock.hpp"
#include "scoring/projections/engine/boards.hpp"
#include "scoring/projections/engine/member_register.hpp"
#include "scoring/projections/engine/totals.hpp"

namespace tideline::scoring {

enum class Span : std::uint8_t { Day, Week, Month };
inline constexpr std::array kSpans = {Span::Day, Span::Week, Span::Month};

// The first day of the period that holds the day; weeks begin on Mondays.
core::Day period_of(Span span, core::Day day);
core::Day period_before(Span span, core::Day first);

// One period: what members have in it, and the boards of those who are shown.
class Period final : public BoardMembers {
 public:
  // The register outlives the period.
  Period(core::Day first_day, std::size_t band_members, const MemberRegister& members);

  std::optional<Totals> totals_of(MemberNumber member) const override {
    return members_.on_board(member) ? totals.find(member) : std::nullopt;
  }
  void prefetch(MemberNumber member) const override {
    members_.table().prefetch(member);
    totals.prefetch(member);
  }
  const core::AccountId& account_of(MemberNumber member) const override {
    return members_.account(member);
  }
  void scan(std::int64_t lowest, std::int64_t highest, const Visit& visit) const override;

  const core::Day first;
  PeriodTotals totals;
  Boards boards;

 private:
  const MemberRegister& members_;
};

class Periods {
 public:
  // The register outlives the periods.
  Periods(Span span, std::size_t band_members, const MemberRegister& members);
  Periods(const Periods&) = delete;
  Periods& operator=(const Periods&) = delete;

  // The period that holds the day, begun if there is none yet; nullptr: it was forgotten.
  Period* of(core::Day day);
  // nullptr: nothing is known of it.
  const Period* find(core::Day day) const;
  // nullptr: there is none yet.
  const Period* newest() const {
    return periods_.empty() ? nullptr : std::prev(periods_.end())->second.get();
  }
  // Those that there are, the oldest first.
  std::vector<Period*> all() const;
  // Forgets for good what is older than the period before the one that holds `today`.
  void forget_before(core::Day today);

  std::size_t bytes() const;

 private:
  const Span span_;
  const std::size_t band_members_;
  const MemberRegister& members_;
  core::Day kept_from_{core::Day::min()};
  std::map<core::Day, std::unique_ptr<Period>> periods_;  // by their first days
};

}  // namespace tideline::scoring
