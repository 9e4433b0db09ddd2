#include "social-graph/domain/contact_count.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

const Rejection kOwnLimit{RejectionKind::Conflict, "contact-limit-reached",
                          "you have as many contacts as one may have"};
const Rejection kTheirLimit{RejectionKind::Conflict, "their-contact-limit-reached",
                            "the other person has as many contacts as one may have"};

}  // namespace

ContactCount::State ContactCount::evolve(State state, const Event& event) {
  std::visit(Overloaded{[&](const ContactCountChanged& changed) { state.count = changed.count; }},
             event);
  return state;
}

Decision<ContactCount::Event> ContactCount::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const CountContact& wanted) -> Decision<Event> {
            // At or above: a limit that was lowered takes nothing away but lets nothing in.
            if (state.count >= wanted.limit) {
              return wanted.whose == Whose::Own ? kOwnLimit : kTheirLimit;
            }
            return Decision<Event>::of(ContactCountChanged{wanted.account_id, state.count + 1});
          },
          [&](const UncountContact& wanted) {
            CHECK(state.count > 0, "a contact that is removed has been counted");
            return Decision<Event>::of(ContactCountChanged{wanted.account_id, state.count - 1});
          },
      },
      command);
}

}  // namespace tideline::social_graph
