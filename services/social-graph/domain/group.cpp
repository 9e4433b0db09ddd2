#include "social-graph/domain/group.hpp"

#include "social-graph/domain/rejections.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;

Decision<Group::Event> rename(const Group::State& state, const RenameGroup& command) {
  if (auto refused = Group::refuse_use(state)) return *refused;
  if (auto refused = refuse_stranger(command.by)) return *refused;
  if (!command.by.is_creator) return kOnlyTheCreator;
  if (state.name == command.name && state.name_key == command.name_key) {
    return Decision<Group::Event>::nothing();
  }
  return Decision<Group::Event>::of(
      GroupRenamed{command.group_id, command.by.account, command.name, command.name_key});
}

Decision<Group::Event> change_history(const Group::State& state,
                                      const ChangeGroupHistory& command) {
  if (auto refused = Group::refuse_use(state)) return *refused;
  if (auto refused = refuse_stranger(command.by)) return *refused;
  if (!command.by.leads()) return kOnlyCreatorAndAdmins;
  if (state.history == command.history) return Decision<Group::Event>::nothing();
  return Decision<Group::Event>::of(GroupHistoryChanged{command.group_id, command.history});
}

Decision<Group::Event> hand_over(const Group::State& state, const HandOverGroup& command) {
  if (auto refused = Group::refuse_use(state)) return *refused;
  if (auto refused = refuse_stranger(command.by)) return *refused;
  if (state.creator == command.to && state.handed_over_by == command.by.account) {
    return Decision<Group::Event>::nothing();
  }
  if (!command.by.is_creator) return kOnlyTheCreator;
  if (!command.to_is_member) return kNoSuchMember;
  return Decision<Group::Event>::of(GroupHandedOver{command.group_id, command.by.account,
                                                    command.to, state.name, command.name_key});
}

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
                   state.history = created.history;
                   state.name_key = created.name_key;
                   state.name = created.name;
                 },
                 [&](const GroupRenamed& renamed) {
                   state.name_key = renamed.name_key;
                   state.name = renamed.name;
                 },
                 [&](const GroupHistoryChanged& changed) { state.history = changed.history; },
                 [&](const GroupHandedOver& handed) {
                   state.creator = handed.to;
                   state.handed_over_by = handed.from;
                   state.name_key = handed.name_key;
                   state.name = handed.name;
                 },
                 [&](const GroupDissolved&) { state.dissolved = true; },
             },
             event);
  return state;
}

Decision<Group::Event> Group::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const CreateGroup& wanted) {
            CHECK(!state.creator, "the id of a new group is drawn for it alone");
            return Decision<Event>::of(GroupCreated{wanted.group_id, wanted.creator, wanted.name,
                                                    wanted.is_private, wanted.history,
                                                    wanted.name_key});
          },
          [&](const RenameGroup& wanted) { return rename(state, wanted); },
          [&](const ChangeGroupHistory& wanted) { return change_history(state, wanted); },
          [&](const HandOverGroup& wanted) { return hand_over(state, wanted); },
          [&](const DissolveGroup& wanted) { return dissolve(state, wanted); },
      },
      command);
}

std::optional<Rejection> Group::refuse_use(const State& state) {
  if (!state.creator || state.dissolved) return kNoSuchGroup;
  return std::nullopt;
}

}  // namespace tideline::social_graph
