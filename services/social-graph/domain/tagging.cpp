#include "social-graph/domain/tagging.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

const Rejection kNotAContact{RejectionKind::Conflict, "not-a-contact",
                             "only contacts can be tagged"};

}  // namespace

Tagging::State Tagging::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const ContactTagged&) { state.tagged = true; },
                 [&](const ContactUntagged&) { state.tagged = false; },
             },
             event);
  return state;
}

Decision<Tagging::Event> Tagging::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const TagContact& wanted) -> Decision<Event> {
                          if (state.tagged) return Decision<Event>::nothing();
                          if (!wanted.is_contact) return kNotAContact;
                          return Decision<Event>::of(
                              ContactTagged{wanted.owner, wanted.tag_id, wanted.account_id});
                        },
                        [&](const UntagContact& wanted) {
                          if (!state.tagged) return Decision<Event>::nothing();
                          return Decision<Event>::of(
                              ContactUntagged{wanted.owner, wanted.tag_id, wanted.account_id});
                        },
                    },
                    command);
}

}  // namespace tideline::social_graph
