#include "scoring/projections/engine/point_steps.hpp"

namespace tideline::scoring {

// To write a few in any order costs as much as all of them in theirs.
void PointSteps::note_down(MemberNumber member) {
  constexpr std::size_t kMost = 1U << 18;
  constexpr MemberNumber kPart = 8;
  changed_.push_back(member);
  if (changed_.size() >= std::min<std::size_t>(kMost, known_ / kPart + 1)) notes_ = false;
}

}  // namespace tideline::scoring
