#include "social-graph/domain/remark.hpp"

#include "social-graph/domain/rejections.hpp"

namespace tideline::social_graph {

using eventsourcing::Decision;
using eventsourcing::Overloaded;

Remark::State Remark::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const ContactRemarked& now) {
                   state = {true, now.remark};
                 },
                 [&](const ContactRemarkRemoved&) { state = {}; },
             },
             event);
  return state;
}

Decision<Remark::Event> Remark::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const SetRemark& wanted) -> Decision<Event> {
            if (!wanted.are_contacts) return kNoSuchContact;
            if (state.is_set && state.remark == wanted.remark) return Decision<Event>::nothing();
            return Decision<Event>::of(ContactRemarked{wanted.owner, wanted.other, wanted.remark});
          },
          [&](const RemoveRemark& wanted) {
            if (!state.is_set) return Decision<Event>::nothing();
            return Decision<Event>::of(ContactRemarkRemoved{wanted.owner, wanted.other});
          },
      },
      command);
}

}  // namespace tideline::social_graph
