#include "scoring/projections/engine/point_steps.hpp"

namespace tideline::scoring {

void PointSteps::note_down(MemberNumber member) {
  changed_.push_back(member);
  if (changed_.size() >= kNotedMax) notes_ = false;
}

}  // namespace tideline::scoring
