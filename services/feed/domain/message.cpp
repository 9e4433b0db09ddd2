#include "feed/domain/message.hpp"

#include "core/text.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

std::optional<Rejection> refuse(const Message::State& state, const std::string& text,
                                const std::vector<std::string>& images) {
  if (state.sent) {
    return Rejection{RejectionKind::Conflict, "message-key-taken",
                     "the sender has another message of this microsecond"};
  }
  const auto length = core::code_points(text);
  const bool says_something = length && (*length > 0 || !images.empty());
  if (!says_something || *length > Message::kTextCodePointsMax) {
    return Rejection{RejectionKind::Invalid, "text-length",
                     "a text has 1 to 4000 characters, or none beside images"};
  }
  if (images.size() > Message::kImagesMax) {
    return Rejection{RejectionKind::Invalid, "too-many-images", "a message has at most 9 images"};
  }
  return std::nullopt;
}

Decision<Message::Event> decide_on(const Message::State& state, const SendToPerson& command) {
  if (auto rejection = refuse(state, command.text, command.images)) return *rejection;
  if (command.recipient == command.sender) {
    return Rejection{RejectionKind::Invalid, "message-to-oneself",
                     "a message goes to somebody else"};
  }
  if (command.recipient_closed) {
    return Rejection{RejectionKind::Conflict, "account-closed",
                     "the recipient has closed his account"};
  }
  return Decision<Message::Event>::of(MessageSent{command.sender,
                                                  command.recipient,
                                                  std::nullopt,
                                                  {command.recipient},
                                                  command.text,
                                                  command.now,
                                                  command.is_request,
                                                  command.images});
}

Decision<Message::Event> decide_on(const Message::State& state, const SendToGroup& command) {
  if (auto rejection = refuse(state, command.text, command.images)) return *rejection;
  // To who is no member, a group that exists and one that does not are the same.
  if (!command.is_member) {
    return Rejection{RejectionKind::NotFound, "no-such-group",
                     "the sender is in no group of this id"};
  }
  return Decision<Message::Event>::of(MessageSent{command.sender,
                                                  std::nullopt,
                                                  command.group_id,
                                                  {},
                                                  command.text,
                                                  command.now,
                                                  false,
                                                  command.images});
}

Decision<Message::Event> decide_on(const Message::State& state, const RecallMessage& command) {
  if (!state.sent) {
    return Rejection{RejectionKind::NotFound, "no-such-message", "there is no such message"};
  }
  if (state.recalled) return Decision<Message::Event>::nothing();
  if (command.now - state.sent_at > Message::kRecallableFor) {
    return Rejection{RejectionKind::Conflict, "too-late-to-recall",
                     "a message is recalled within two minutes"};
  }
  return Decision<Message::Event>::of(
      MessageRecalled{state.sender, state.recipient, state.group_id, state.sent_at, command.now});
}

}  // namespace

Message::State Message::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const MessageSent& sent) {
                   state = {true, false, sent.sender, sent.recipient, sent.group_id, sent.sent_at};
                 },
                 [&](const MessageRecalled&) { state.recalled = true; },
             },
             event);
  return state;
}

eventsourcing::Decision<Message::Event> Message::decide(const State& state,
                                                        const Command& command) {
  return std::visit([&](const auto& wanted) { return decide_on(state, wanted); }, command);
}

}  // namespace tideline::feed
