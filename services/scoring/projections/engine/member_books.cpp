#include "scoring/projections/engine/member_books.hpp"

namespace tideline::scoring {

// To there, from there, or there already.
void MemberBooks::put_elsewhere(MemberNumber member, std::int64_t points) {
  if (fits(points)) {
    elsewhere_.erase(member);
    books_[member].points = static_cast<std::int32_t>(points);
  } else {
    elsewhere_[member] = points;
    books_[member].points = kElsewhere;
  }
}

}  // namespace tideline::scoring
