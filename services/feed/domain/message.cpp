#include "feed/domain/message.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

std::optional<Rejection> refuse(const Message::State& state, const std::string& text) {
  if (state.sent) {
    return Rejection{RejectionKind::Conflict, "message-key-taken",
                     "the sender has another message of this microsecond"};
  }
  const auto length = core::code_points(text);
  if (!length || *length == 0 || *length > Message::kTextCodePointsMax) {
    return Rejection{RejectionKind::Invalid, "text-length", "a text has 1 to 4000 characters"};
  }
  return std::nullopt;
}

Decision<Message::Event> send(const Message::State& state, const SendToPerson& command) {
  if (auto rejection = refuse(state, command.text)) return *rejection;
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
                                                  command.is_request});
}

Decision<Message::Event> send(const Message::State& state, const SendToGroup& command) {
  if (auto rejection = refuse(state, command.text)) return *rejection;
  std::vector<core::AccountId> recipients = command.members;
  // To who is no member, a group that exists and one that does not are the same.
  if (std::erase(recipients, command.sender) == 0) {
    return Rejection{RejectionKind::NotFound, "no-such-group",
                     "the sender is in no group of this id"};
  }
  std::sort(recipients.begin(), recipients.end());
  return Decision<Message::Event>::of(MessageSent{command.sender, std::nullopt, command.group_id,
                                                  std::move(recipients), command.text, command.now,
                                                  false});
}

}  // namespace

Message::State Message::evolve(State state, const Event& event) {
  std::visit(Overloaded{[&](const MessageSent&) { state.sent = true; }}, event);
  return state;
}

eventsourcing::Decision<Message::Event> Message::decide(const State& state,
                                                        const Command& command) {
  return std::visit([&](const auto& message) { return send(state, message); }, command);
}

}  // namespace tideline::feed
