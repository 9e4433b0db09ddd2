#include "social-graph/domain/contact_pair.hpp"

#include "social-graph/domain/rejections.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;
using Phase = ContactPair::Phase;

const Rejection kNoSuchRequest{RejectionKind::NotFound, "no-such-contact-request",
                               "there is no open contact request of that kind"};

const Rejection kRequestDeclined{RejectionKind::Conflict, "contact-request-declined",
                                 "this person has declined your request; ask again later"};

bool asked_by(const ContactPair::State& state, const core::AccountId& account) {
  return state.phase == Phase::Requested && state.from == account;
}

ContactAccepted acceptance(const ContactPair::State& state) {
  return {state.from, state.to, !state.accepted_before};
}

Decision<ContactPair::Event> request(const ContactPair::State& state,
                                     const RequestContact& command) {
  if (command.from == command.to) return kOneself;
  if (state.phase == Phase::Contacts || asked_by(state, command.from)) {
    return Decision<ContactPair::Event>::nothing();
  }
  if (asked_by(state, command.to)) return Decision<ContactPair::Event>::of(acceptance(state));
  if (state.declined_at && state.from == command.from &&
      command.now < *state.declined_at + command.declined_for) {
    return kRequestDeclined;
  }
  return Decision<ContactPair::Event>::of(ContactRequested{command.from, command.to});
}

Decision<ContactPair::Event> accept(const ContactPair::State& state, const AcceptContact& command) {
  if (state.phase == Phase::Contacts) return Decision<ContactPair::Event>::nothing();
  if (!asked_by(state, command.from)) return kNoSuchRequest;
  return Decision<ContactPair::Event>::of(acceptance(state));
}

// Declining and withdrawing: the same end of a request, from either side.
Decision<ContactPair::Event> end_request(const ContactPair::State& state,
                                         const core::AccountId& from, Phase ended,
                                         ContactPair::Event event) {
  if (state.phase == ended && state.from == from) return Decision<ContactPair::Event>::nothing();
  if (!asked_by(state, from)) return kNoSuchRequest;
  return Decision<ContactPair::Event>::of(std::move(event));
}

Decision<ContactPair::Event> remove(const ContactPair::State& state, const RemoveContact& command) {
  if (state.phase == Phase::Removed) return Decision<ContactPair::Event>::nothing();
  if (state.phase != Phase::Contacts) return kNoSuchContact;
  return Decision<ContactPair::Event>::of(ContactRemoved{command.by, command.other});
}

Decision<ContactPair::Event> end(const ContactPair::State& state, const EndContact& command) {
  switch (state.phase) {
    case Phase::Contacts:
      return remove(state, {command.by, command.other});
    case Phase::Requested:
      if (state.from == command.by) {
        return Decision<ContactPair::Event>::of(ContactRequestWithdrawn{command.by, command.other});
      }
      return Decision<ContactPair::Event>::of(
          ContactDeclined{command.other, command.by, command.now});
    case Phase::Strangers:
    case Phase::Declined:
    case Phase::Withdrawn:
    case Phase::Removed:
      break;
  }
  return Decision<ContactPair::Event>::nothing();
}

}  // namespace

ContactPair::State ContactPair::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const ContactRequested& requested) {
                   state.phase = Phase::Requested;
                   state.from = requested.from;
                   state.to = requested.to;
                   state.declined_at.reset();
                 },
                 [&](const ContactAccepted&) {
                   state.phase = Phase::Contacts;
                   state.accepted_before = true;
                 },
                 [&](const ContactDeclined& declined) {
                   state.phase = Phase::Declined;
                   state.declined_at = declined.declined_at;
                 },
                 [&](const ContactRequestWithdrawn&) { state.phase = Phase::Withdrawn; },
                 [&](const ContactRemoved&) { state.phase = Phase::Removed; },
             },
             event);
  return state;
}

Decision<ContactPair::Event> ContactPair::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const RequestContact& wanted) { return request(state, wanted); },
                        [&](const AcceptContact& wanted) { return accept(state, wanted); },
                        [&](const DeclineContact& wanted) {
                          return end_request(state, wanted.from, Phase::Declined,
                                             ContactDeclined{wanted.from, wanted.by, wanted.now});
                        },
                        [&](const WithdrawContactRequest& wanted) {
                          return end_request(state, wanted.from, Phase::Withdrawn,
                                             ContactRequestWithdrawn{wanted.from, wanted.to});
                        },
                        [&](const RemoveContact& wanted) { return remove(state, wanted); },
                        [&](const EndContact& wanted) { return end(state, wanted); },
                    },
                    command);
}

}  // namespace tideline::social_graph
