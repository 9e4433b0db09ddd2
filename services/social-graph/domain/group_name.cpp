#include "social-graph/domain/group_name.hpp"

namespace tideline::social_graph {

using eventsourcing::Decision;
using eventsourcing::Overloaded;

GroupName::State GroupName::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const GroupNameClaimed& claimed) { state.group_id = claimed.group_id; },
                 [&](const GroupNameReleased&) { state.group_id.reset(); },
             },
             event);
  return state;
}

Decision<GroupName::Event> GroupName::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const ClaimGroupName& wanted) -> Decision<Event> {
            if (state.group_id == wanted.group_id) return Decision<Event>::nothing();
            if (state.group_id) return wanted.when_taken;
            return Decision<Event>::of(GroupNameClaimed{wanted.name_key, wanted.group_id});
          },
          [&](const ReleaseGroupName& wanted) -> Decision<Event> {
            if (state.group_id != wanted.group_id) return Decision<Event>::nothing();
            return Decision<Event>::of(GroupNameReleased{wanted.name_key, wanted.group_id});
          },
      },
      command);
}

}  // namespace tideline::social_graph
