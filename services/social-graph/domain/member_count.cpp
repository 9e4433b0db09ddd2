#include "social-graph/domain/member_count.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

const Rejection kGroupFull{RejectionKind::Conflict, "group-full",
                           "the group has as many members as one may have"};

}  // namespace

MemberCount::State MemberCount::evolve(State state, const Event& event) {
  std::visit(Overloaded{[&](const MemberCountChanged& changed) { state.count = changed.count; }},
             event);
  return state;
}

Decision<MemberCount::Event> MemberCount::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const CountMember& wanted) -> Decision<Event> {
            if (state.count >= wanted.limit) return kGroupFull;
            return Decision<Event>::of(MemberCountChanged{wanted.group_id, state.count + 1});
          },
          [&](const UncountMember& wanted) {
            CHECK(state.count > 0, "a member who leaves has been counted");
            return Decision<Event>::of(MemberCountChanged{wanted.group_id, state.count - 1});
          },
      },
      command);
}

}  // namespace tideline::social_graph
