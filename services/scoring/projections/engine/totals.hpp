// What members have on a board: points, and when they reached them. Of all time it lies in
// MemberTable; of a period in PeriodTotals, 7 bytes for each of those who did something in it, and
// points that do not fit in a map aside.
//
// Not synchronized.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "scoring/projections/engine/column.hpp"

namespace tideline::scoring {

struct Totals {
  std::int64_t points = 0;
  core::Timestamp reached_at{};  // the epoch: never

  // Points add up, the later time stays: in any order the same.
  void join(const Totals& change) {
    points += change.points;
    reached_at = std::max(reached_at, change.reached_at);
  }
  friend bool operator==(const Totals&, const Totals&) = default;
};

// What somebody has earned by day is kept under this.
struct PersonDay {
  core::AccountId account;
  core::Day day;  // of the campus

  friend auto operator<=>(const PersonDay&, const PersonDay&) = default;
  struct Hash {
    std::size_t operator()(const PersonDay& key) const {
      const auto day = static_cast<std::uint64_t>(key.day.time_since_epoch().count()) + 1;
      return std::hash<core::AccountId>{}(key.account) ^ (day * 0x9e3779b97f4a7c15U);
    }
  };
};

class PeriodTotals {
 public:
  // Of a period of at most 31 days that begins with `first`, in whatever time zone.
  explicit PeriodTotals(core::Day first) : origin_(first - std::chrono::days(1)) {}

  // nullopt: did nothing in this period.
  std::optional<Totals> find(MemberNumber member) const {
    const Packed* packed = packed_.find(member);
    return packed == nullptr ? std::nullopt : unpack(member, *packed);
  }
  void put(MemberNumber member, const Totals& totals);
  // Fetches what both will look at.
  void prefetch(MemberNumber member) const { packed_.prefetch(member); }

  // Calls visit(member, totals) for every member with points from `lowest` to `highest`.
  template <class Visit>
  void for_each(std::int64_t lowest, std::int64_t highest, const Visit& visit) const {
    packed_.for_each([&](MemberNumber member, const Packed& packed) {
      const auto totals = unpack(member, packed);
      if (totals && totals->points >= lowest && totals->points <= highest) visit(member, *totals);
    });
  }

  std::size_t bytes() const { return packed_.bytes(); }

 private:
  // 42 bits of microseconds since the day before the period (50 days), and above them 14 bits: 0
  // for nobody, 16,383 for points that lie elsewhere, else the points + kShift.
  using Packed = std::array<std::uint8_t, 7>;
  static constexpr unsigned kTimeBits = 42;
  static constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << kTimeBits) - 1;
  static constexpr std::int64_t kShift = 1024;
  static constexpr std::int64_t kCodeElsewhere = (1 << 14) - 1;

  std::optional<Totals> unpack(MemberNumber member, const Packed& packed) const;

  const core::Timestamp origin_;
  Column<Packed> packed_;
  absl::flat_hash_map<MemberNumber, std::int64_t> elsewhere_;
};

}  // namespace tideline::scoring
