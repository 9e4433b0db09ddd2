#include "social-graph/domain/group.hpp"

#include "social-graph/domain/rejections.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;

Decision<Group::Event> dissolve(const Group::State& state, const DissolveGroup& command) {
  if (!state.creator) return kNoSuchGroup;
  if (*state.creator == command.by) {
    if (state.dissolved) return Decision<Group::Event>::nothing();
    return Decision<Group::Event>::of(GroupDissolved{command.group_id});
  }
  if (state.dissolved || (state.is_private && !command.by_is_member)) return kNoSuchGroup;
  return kOnlyTheCreator;
}

}  // namespace

Group::State Group::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const GroupCreated& created) {
                   state.creator = created.creator;
                   state.is_private = created.is_private;
                 },
                 [&](const GroupDissolved&) { state.dissolved = true; },
             },
             event);
  return state;
}

Decision<Group::Event> Group::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const CreateGroup& wanted) {
                          CHECK(!state.creator, "the id of a new group is drawn for it alone");
                          return Decision<Event>::of(GroupCreated{wanted.group_id, wanted.creator,
                                                                  wanted.name, wanted.is_private});
                        },
                        [&](const DissolveGroup& wanted) { return dissolve(state, wanted); },
                    },
                    command);
}

std::optional<Rejection> Group::refuse_use(const State& state) {
  if (!state.creator || state.dissolved) return kNoSuchGroup;
  return std::nullopt;
}

}  // namespace tideline::social_graph
