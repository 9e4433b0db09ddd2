#include "scoring/projections/engine/periods.hpp"

#include <utility>

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
    : first(first_day), totals(first_day), board(band_members, *this), members_(members) {}

void Period::scan(std::int64_t lowest, std::int64_t highest, const Visit& visit) const {
  totals.for_each(lowest, highest, [&](MemberNumber member, const Totals& has) {
    if (!members_.on_board(member)) return;
    visit({member, {has.points, has.reached_at, members_.account(member)}});
  });
}

Periods::Periods(Span span, std::size_t band_members, const MemberRegister& members)
    : span_(span), band_members_(band_members), members_(members) {}

std::unique_ptr<Period> Periods::begin(core::Day first) const {
  return std::make_unique<Period>(first, band_members_, members_);
}

Period* Periods::of(core::Day day) {
  const core::Day first = period_of(span_, day);
  if (!newest_ || first > newest_->first) {
    const core::Day before = period_before(span_, first);
    before_ = newest_ && newest_->first == before ? std::move(newest_) : nullptr;
    newest_ = begin(first);
    return newest_.get();
  }
  if (first == newest_->first) return newest_.get();
  if (first != period_before(span_, newest_->first)) return nullptr;
  if (!before_) before_ = begin(first);
  return before_.get();
}

const Period* Periods::find(core::Day day) const {
  const core::Day first = period_of(span_, day);
  if (newest_ && newest_->first == first) return newest_.get();
  if (before_ && before_->first == first) return before_.get();
  return nullptr;
}

std::vector<Period*> Periods::all() const {
  std::vector<Period*> periods;
  for (const auto* period : {&newest_, &before_}) {
    if (*period) periods.push_back(period->get());
  }
  return periods;
}

std::size_t Periods::bytes() const {
  std::size_t bytes = 0;
  for (const Period* period : all()) bytes += period->totals.bytes() + period->board.bytes();
  return bytes;
}

}  // namespace tideline::scoring
