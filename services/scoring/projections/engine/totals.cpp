#include "scoring/projections/engine/totals.hpp"

#include <cstring>

#include "core/check.hpp"

namespace tideline::scoring {

void PeriodTotals::put(MemberNumber member, const Totals& totals) {
  const std::int64_t since_us = (totals.reached_at - origin_).count();
  CHECK(since_us >= 0 && static_cast<std::uint64_t>(since_us) <= kTimeMask,
        "a time outside of the period");
  const std::int64_t code = totals.points + kShift;
  const bool fits = code > 0 && code < kCodeElsewhere;
  if (fits) {
    elsewhere_.erase(member);
  } else {
    elsewhere_[member] = totals.points;
  }
  const std::uint64_t word = static_cast<std::uint64_t>(fits ? code : kCodeElsewhere) << kTimeBits |
                             static_cast<std::uint64_t>(since_us);
  Packed& packed = packed_.make(member);
  for (std::size_t i = 0; i < packed.size(); ++i) {
    packed.at(i) = static_cast<std::uint8_t>(word >> (8 * i));
  }
}

std::optional<Totals> PeriodTotals::unpack(MemberNumber member, const Packed& packed) const {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < packed.size(); ++i) {
    word |= static_cast<std::uint64_t>(packed[i]) << (8 * i);
  }
  const auto code = static_cast<std::int64_t>(word >> kTimeBits);
  if (code == 0) return std::nullopt;
  return Totals{code == kCodeElsewhere ? elsewhere_.at(member) : code - kShift,
                origin_ + std::chrono::microseconds(word & kTimeMask)};
}

}  // namespace tideline::scoring
