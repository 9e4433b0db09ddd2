// How many events of a reason with a daily cap each member has had on each campus day, for days
// that are not long ago; those of earlier days are counted from the ledger when they are needed.
//
// 20 to 39 bytes a counter. Not synchronized.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <map>

#include "core/clock.hpp"
#include "scoring/domain/rules.hpp"
#include "scoring/projections/engine/column.hpp"

namespace tideline::scoring {

class CapCounts {
 public:
  // The counters of all days are held, until some are forgotten.
  bool holds(core::Day day) const { return day >= held_from_; }
  core::Day held_from() const { return held_from_; }
  void forget_before(core::Day day);

  // Of a day that is held.
  void put(MemberNumber member, core::Day day, Reason reason, std::uint32_t events);
  // Counts one more and returns how many there are.
  std::uint32_t count(MemberNumber member, core::Day day, Reason reason);

  std::size_t size() const;

 private:
  using Key = std::uint64_t;  // member and reason
  static Key key_of(MemberNumber member, Reason reason) {
    return std::uint64_t{member} << 8U | static_cast<std::uint64_t>(reason);
  }

  core::Day held_from_{core::Day::min()};
  std::map<core::Day, absl::flat_hash_map<Key, std::uint32_t>> days_;
};

}  // namespace tideline::scoring
