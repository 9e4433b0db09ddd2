#include "feed/api/message_codec.hpp"

#include <utility>

#include "feed/api/own_event.hpp"

namespace tideline::feed {
namespace {

std::string stored_key(const core::AccountId& sender, core::Timestamp sent_at) {
  return sender.to_string() + "_" + core::format_iso8601(sent_at);
}

}  // namespace

eventsourcing::NewEvent MessageCodec::encode(const Message::Event& event) const {
  const auto& fact = std::get<MessageSent>(event);
  nlohmann::json data{{"message_key", stored_key(fact.sender, fact.sent_at)},
                      {"sender", fact.sender.to_string()},
                      {"recipient", nullptr},
                      {"group_id", nullptr},
                      {"recipients", as_json(fact.recipients)},
                      {"text", seal_text(cipher_, fact.sender, fact.text, kMessageText)},
                      {"sent_at", core::format_iso8601(fact.sent_at)},
                      {"seen", fact.seen}};
  if (fact.recipient) data["recipient"] = fact.recipient->to_string();
  if (fact.group_id) data["group_id"] = *fact.group_id;
  return own_event("MessageSent", data);
}

std::optional<Message::Event> MessageCodec::decode(
    const eventsourcing::RecordedEvent& recorded) const {
  auto known = read_own_event(recorded);
  if (!known) return std::nullopt;
  auto* fact = std::get_if<read::MessageSent>(&*known);
  if (fact == nullptr) return std::nullopt;
  return MessageSent{fact->sender,
                     fact->recipient,
                     std::move(fact->group_id),
                     std::move(fact->recipients),
                     open_text(cipher_, fact->sender, fact->sealed_text, kMessageText),
                     fact->sent_at,
                     fact->seen.to_token()};
}

eventsourcing::NewEvent MessageReadingCodec::encode(const MessageReading::Event& event) const {
  const auto& fact = std::get<MessagesRead>(event);
  auto keys = nlohmann::json::array();
  for (const MessageKey& key : fact.messages) keys.push_back(stored_key(key.sender, key.sent_at));
  return own_event("MessagesRead",
                   {{"reader", fact.reader.to_string()}, {"messages", std::move(keys)}});
}

std::optional<MessageReading::Event> MessageReadingCodec::decode(
    const eventsourcing::RecordedEvent& recorded) const {
  auto known = read_own_event(recorded);
  if (!known) return std::nullopt;
  auto* fact = std::get_if<read::MessagesRead>(&*known);
  if (fact == nullptr) return std::nullopt;
  return MessagesRead{fact->reader, std::move(fact->messages)};
}

}  // namespace tideline::feed
