#include "social-graph/domain/moment_setting.hpp"

#include "social-graph/domain/rejections.hpp"

namespace tideline::social_graph {

using eventsourcing::Decision;
using eventsourcing::Overloaded;

MomentSetting::State MomentSetting::evolve(State state, const Event& event) {
  std::visit(Overloaded{[&](const MomentSettingChanged& changed) {
               state = {changed.hides_other, changed.hidden_from_other};
             }},
             event);
  return state;
}

Decision<MomentSetting::Event> MomentSetting::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{[&](const ChangeMomentSetting& wanted) -> Decision<Event> {
        if (wanted.owner == wanted.other) return kOneself;
        if (state.hides_other == wanted.hides_other &&
            state.hidden_from_other == wanted.hidden_from_other) {
          return Decision<Event>::nothing();
        }
        return Decision<Event>::of(MomentSettingChanged{
            wanted.owner, wanted.other, wanted.hides_other, wanted.hidden_from_other});
      }},
      command);
}

}  // namespace tideline::social_graph
