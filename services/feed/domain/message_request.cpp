#include "feed/domain/message_request.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;
using Event = MessageRequest::Event;
using State = MessageRequest::State;

Decision<Event> write(const State& state, const WriteToStranger& command) {
  if (state.accepted()) return Decision<Event>::nothing();
  if (state.sent >= MessageRequest::kWaitingMax) {
    return Rejection{RejectionKind::Conflict, "message-request-waits",
                     "this person has not accepted your messages yet"};
  }
  return Decision<Event>::of(
      MessageRequestChanged{command.recipient, command.sender, state.answer, state.sent + 1});
}

Decision<Event> answer(const State& state, const AnswerMessageRequest& command) {
  if (state.answer == command.answer) return Decision<Event>::nothing();
  if (state.sent == 0 || state.accepted()) {
    return Rejection{RejectionKind::NotFound, "no-such-message-request",
                     "no message of this person waits to be accepted"};
  }
  return Decision<Event>::of(
      MessageRequestChanged{command.recipient, command.sender, command.answer, state.sent});
}

Decision<Event> welcome(const State& state, const WelcomeMessages& command) {
  if (state.accepted()) return Decision<Event>::nothing();
  return Decision<Event>::of(MessageRequestChanged{command.recipient, command.sender,
                                                   RequestAnswer::Accepted, state.sent});
}

}  // namespace

State MessageRequest::evolve(State state, const Event& event) {
  std::visit(Overloaded{[&](const MessageRequestChanged& changed) {
               state = {changed.answer, changed.sent};
             }},
             event);
  return state;
}

Decision<Event> MessageRequest::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const WriteToStranger& wanted) { return write(state, wanted); },
                        [&](const AnswerMessageRequest& wanted) { return answer(state, wanted); },
                        [&](const WelcomeMessages& wanted) { return welcome(state, wanted); },
                    },
                    command);
}

}  // namespace tideline::feed
