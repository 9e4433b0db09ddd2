#include "scoring/projections/engine/cap_counts.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace tideline::scoring {

void CapCounts::forget_before(core::Day day) {
  held_from_ = std::max(held_from_, day);
  days_.erase(days_.begin(), days_.lower_bound(held_from_));
}

void CapCounts::put(MemberNumber member, core::Day day, Reason reason, std::uint32_t events) {
  CHECK(holds(day), "a counter of a day that is not held");
  days_[day][key_of(member, reason)] = events;
}

std::uint32_t CapCounts::count(MemberNumber member, core::Day day, Reason reason) {
  CHECK(holds(day), "a counter of a day that is not held");
  return ++days_[day][key_of(member, reason)];
}

std::size_t CapCounts::size() const {
  std::size_t counters = 0;
  for (const auto& [day, of_day] : days_) counters += of_day.size();
  return counters;
}

}  // namespace tideline::scoring
