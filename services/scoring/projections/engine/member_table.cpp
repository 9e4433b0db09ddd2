#include "scoring/projections/engine/member_table.hpp"

namespace tideline::scoring {

// To there, from there, or there already.
void MemberTable::put_elsewhere(MemberNumber member, std::int64_t points) {
  if (fits(points)) {
    elsewhere_.erase(member);
    table_[member].points = static_cast<std::int32_t>(points);
  } else {
    elsewhere_[member] = points;
    table_[member].points = kElsewhere;
  }
}

}  // namespace tideline::scoring
