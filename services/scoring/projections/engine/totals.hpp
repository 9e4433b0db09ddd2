// What members have on a board: points, and when they reached them.
//
// AllTimeTotals keeps 4 bytes for the points of a member and 8 for the time; PeriodTotals 7 for
// both, for those who did something in the period. Points that do not fit lie in a map aside.
//
// Not synchronized.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/clock.hpp"
#include "scoring/projections/engine/column.hpp"
#include "scoring/projections/engine/dense_column.hpp"

namespace tideline::scoring {

struct Totals {
  std::int64_t points = 0;
  core::Timestamp reached_at{};  // the epoch: never

  // Points add up, the later time stays: in any order the same.
  Totals joined(const Totals& change) const {
    return {points + change.points, std::max(reached_at, change.reached_at)};
  }
  friend bool operator==(const Totals&, const Totals&) = default;
};

class AllTimeTotals {
 public:
  // Of somebody new: nothing.
  Totals get(MemberNumber member) const {
    if (member >= points_.size()) return {};
    return {points_of(member, points_[member]), core::Timestamp(reached_[member])};
  }
  std::int64_t points(MemberNumber member) const {
    return member >= points_.size() ? 0 : points_of(member, points_[member]);
  }
  void put(MemberNumber member, const Totals& totals) {
    std::int32_t& stored = points_.make(member);
    reached_.make(member) = totals.reached_at.time_since_epoch();
    if (stored == kElsewhere || !fits(totals.points)) return put_elsewhere(member, totals.points);
    stored = static_cast<std::int32_t>(totals.points);
  }
  void reserve(std::size_t members, ReservedPages& pages) {
    points_.reserve(members, pages);
    reached_.reserve(members, pages);
  }
  // Fetches what both will look at.
  void expect(MemberNumber member) const {
    expect_points(member);
    reached_.expect(member);
  }
  void expect_points(MemberNumber member) const { points_.expect(member); }

  // Calls visit(member, totals) for every member with points from `lowest` to `highest`.
  template <class Visit>
  void for_each(std::int64_t lowest, std::int64_t highest, const Visit& visit) const {
    points_.for_each([&](MemberNumber member, std::int32_t stored) {
      if (stored != kElsewhere && (stored < lowest || stored > highest)) return;
      const std::int64_t points = points_of(member, stored);
      if (points < lowest || points > highest) return;
      visit(member, Totals{points, core::Timestamp(reached_[member])});
    });
  }

  std::size_t bytes_of_points() const { return points_.bytes(); }
  std::size_t bytes_of_times() const { return reached_.bytes(); }

 private:
  static constexpr std::int32_t kElsewhere = std::numeric_limits<std::int32_t>::min();

  std::int64_t points_of(MemberNumber member, std::int32_t stored) const {
    return stored == kElsewhere ? elsewhere_.at(member) : stored;
  }

  static bool fits(std::int64_t points) {
    return points > kElsewhere && points <= std::numeric_limits<std::int32_t>::max();
  }
  void put_elsewhere(MemberNumber member, std::int64_t points);

  DenseColumn<std::int32_t> points_;
  DenseColumn<core::Timestamp::duration> reached_;
  absl::flat_hash_map<MemberNumber, std::int64_t> elsewhere_;
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
  void expect(MemberNumber member) const { packed_.expect(member); }

  // As above.
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
