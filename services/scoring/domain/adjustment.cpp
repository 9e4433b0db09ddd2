#include "scoring/domain/adjustment.hpp"

namespace tideline::scoring {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

const Rejection kNothing{RejectionKind::Invalid, "adjustment-of-nothing",
                         "an adjustment adds or takes at least one point"};
const Rejection kTooLarge{RejectionKind::Invalid, "adjustment-too-large",
                          "an adjustment adds or takes at most 1,000,000,000 points"};
const Rejection kNoReason{RejectionKind::Invalid, "adjustment-without-reason",
                          "an adjustment says why"};
const Rejection kAnother{RejectionKind::Conflict, "another-adjustment",
                         "this adjustment has been made with other contents"};

}  // namespace

Adjustment::State Adjustment::evolve(State state, const Event& event) {
  std::visit(Overloaded{[&](const PointsAdjusted& adjusted) { state.made = adjusted; }}, event);
  return state;
}

Decision<Adjustment::Event> Adjustment::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{[&](const AdjustPoints& wanted) -> Decision<Event> {
                      if (wanted.delta == 0) return kNothing;
                      if (wanted.delta > kDeltaMax || wanted.delta < -kDeltaMax) return kTooLarge;
                      if (wanted.reason.empty()) return kNoReason;
                      const PointsAdjusted adjusted{wanted.account_id, wanted.delta, wanted.reason,
                                                    wanted.operator_id};
                      if (!state.made) return Decision<Event>::of(adjusted);
                      if (*state.made == adjusted) return Decision<Event>::nothing();
                      return kAnother;
                    }},
                    command);
}

}  // namespace tideline::scoring
