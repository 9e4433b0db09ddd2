#include "scoring/projections/engine/periods.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace tideline::scoring {

core::Day period_of(Span span, core::Day day) {
  switch (span) {
    case Span::Day:
      return day;
    case Span::Week:
      return day - (std::chrono::weekday(day) - std::chrono::Monday);
    case Span::Month: {
      const std::chrono::year_month_day date(day);
      return date.year() / date.month() / 1;
    }
  }
  CHECK(false, "a span that is none");
}

core::Day period_before(Span span, core::Day first) {
  return period_of(span, first - std::chrono::days(1));
}

Period::Period(core::Day first_day, std::size_t band_members, const MemberRegister& members)
    : first(first_day),
      totals(first_day),
      boards(band_members, *this, members.table()),
      members_(members) {}

void Period::scan(std::int64_t lowest, std::int64_t highest, const Visit& visit) const {
  totals.for_each(lowest, highest, [&](MemberNumber member, const Totals& has) {
    if (!members_.on_board(member)) return;
    visit({member, {has.points, has.reached_at, members_.account(member)}});
  });
}

Periods::Periods(Span span, std::size_t band_members, const MemberRegister& members)
    : span_(span), band_members_(band_members), members_(members) {}

Period* Periods::of(core::Day day) {
  const core::Day first = period_of(span_, day);
  if (first < kept_from_) return nullptr;
  auto& period = periods_[first];
  if (!period) period = std::make_unique<Period>(first, band_members_, members_);
  return period.get();
}

const Period* Periods::find(core::Day day) const {
  const auto found = periods_.find(period_of(span_, day));
  return found == periods_.end() ? nullptr : found->second.get();
}

std::vector<Period*> Periods::all() const {
  std::vector<Period*> periods;
  for (const auto& [first, period] : periods_) periods.push_back(period.get());
  return periods;
}

void Periods::forget_before(core::Day today) {
  const core::Day oldest = period_before(span_, period_of(span_, today));
  kept_from_ = std::max(kept_from_, oldest);
  periods_.erase(periods_.begin(), periods_.lower_bound(kept_from_));
}

std::size_t Periods::bytes() const {
  std::size_t bytes = 0;
  for (const Period* period : all()) {
    bytes += period->totals.bytes() + period->boards.bytes_of_everybody() +
             period->boards.bytes_of_departments();
  }
  return bytes;
}

}  // namespace tideline::scoring
