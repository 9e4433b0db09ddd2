#include "feed/api/messages/message_items.hpp"

#include "core/text.hpp"
#include "feed/api/named_people.hpp"
#include "feed/stored_events.hpp"

namespace tideline::feed {

using http::Json;

std::string message_key_text(std::string_view sender_user_id, core::Timestamp sent_at) {
  return std::string(sender_user_id) + "_" + core::format_iso8601(sent_at);
}

std::optional<MessageKey> parse_message_key(const crypto::AccountIds& account_ids,
                                            std::string_view text) {
  const auto mark = text.rfind('_');
  if (mark == std::string_view::npos) return std::nullopt;
  const std::string_view user_id = text.substr(0, mark);
  const auto sent_at = core::parse_iso8601(text.substr(mark + 1));
  if (!core::is_user_id(user_id) || !sent_at) return std::nullopt;
  if (message_key_text(user_id, *sent_at) != text) return std::nullopt;
  return MessageKey{*sent_at, account_ids.of(user_id)};
}

Json message_items(const ApiPorts& ports, const std::vector<MessageRow>& messages) {
  Json items = Json::array();
  if (messages.empty()) return items;
  std::vector<core::AccountId> accounts;
  std::vector<crypto::SealedText> texts;
  for (const MessageRow& message : messages) {
    accounts.push_back(message.key.sender);
    if (message.recipient) accounts.push_back(*message.recipient);
    texts.push_back({message.key.sender, message.sealed_text,
                     eventsourcing::Stored<MessageSent>::kTextContext});
  }
  const auto people =
      core::value_of(ports.database.read_each_alone([&](sql::Transaction& transaction) {
        return ports.people.find_many(transaction, accounts);
      }));
  const auto opened = core::value_of(ports.cipher.open_many(texts));

  for (std::size_t i = 0; i < messages.size(); ++i) {
    const MessageRow& message = messages[i];
    Json sender = person_json(people, message.key.sender);
    Json item{{"key", nullptr},
              {"to", nullptr},
              {"group_id", nullptr},
              {"text", nullptr},
              {"sent_at", core::format_iso8601(message.key.sent_at)},
              {"read", message.read}};
    if (sender["user_id"].is_string()) {
      item["key"] = message_key_text(sender["user_id"].get<std::string>(), message.key.sent_at);
    }
    item["sender"] = std::move(sender);
    if (message.recipient) item["to"] = person_json(people, *message.recipient);
    if (message.group_id) item["group_id"] = *message.group_id;
    if (opened[i]) item["text"] = *opened[i];
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace tideline::feed
