#include "feed/api/messages/message_items.hpp"

#include "core/text.hpp"
#include "feed/api/named_images.hpp"
#include "feed/api/named_people.hpp"
#include "feed/stored_events.hpp"

namespace tideline::feed {

using http::Json;

namespace {

std::optional<MessageKey> parse_message_place(std::string_view text) {
  const auto mark = text.find('/');
  if (mark == std::string_view::npos) return std::nullopt;
  const auto sent_at = core::parse_iso8601(text.substr(0, mark));
  const auto sender = core::AccountId::parse(text.substr(mark + 1));
  if (!sent_at || !sender) return std::nullopt;
  return MessageKey{*sent_at, *sender};
}

uploads::ImageStore::Previews previews_of(const ApiPorts& ports,
                                          const std::vector<MessageRow>& messages) {
  std::vector<uploads::ImageName> names;
  for (const MessageRow& message : messages) {
    for (const std::string& hash : message.images) names.push_back({message.key.sender, hash});
  }
  return core::value_of(ports.images.previews(names));
}

// A message whose sender the directory does not know has no key, so its images have no address.
void put_images(Json& item, const ApiPorts& ports, const MessageRow& message,
                const uploads::ImageStore::Previews& previews, const core::AccountId& reader) {
  Json links = Json::array();
  for (const std::string& hash : message.images) {
    if (!item["key"].is_string()) continue;
    links.push_back(ports.links.to(
        "/v1/messages/" + item["key"].get<std::string>() + "/images/" + hash, reader));
  }
  item["images"] = message.images;
  item["image_previews"] = image_previews(previews, message.key.sender, message.images);
  item["image_links"] = std::move(links);
}

}  // namespace

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

Json message_items(const ApiPorts& ports, const core::AccountId& reader,
                   const std::vector<MessageRow>& messages) {
  Json items = Json::array();
  if (messages.empty()) return items;
  std::vector<core::AccountId> accounts;
  std::vector<crypto::SealedText> texts;
  for (const MessageRow& message : messages) {
    accounts.push_back(message.key.sender);
    if (message.recipient) accounts.push_back(*message.recipient);
    if (message.recalled) continue;
    texts.push_back({message.key.sender, message.sealed_text,
                     eventsourcing::Stored<MessageSent>::kTextContext});
  }
  const auto previews = previews_of(ports, messages);
  const auto people =
      core::value_of(ports.database.read_each_alone([&](sql::Transaction& transaction) {
        return ports.people.find_many(transaction, accounts);
      }));
  const auto opened = core::value_of(ports.cipher.open_many(texts));
  auto next_text = opened.begin();

  for (const MessageRow& message : messages) {
    Json sender = person_json(people, message.key.sender);
    Json item{{"key", nullptr},
              {"to", nullptr},
              {"group_id", nullptr},
              {"text", nullptr},
              {"recalled", message.recalled},
              {"sent_at", core::format_iso8601(message.key.sent_at)},
              {"read", message.read}};
    if (sender["user_id"].is_string()) {
      item["key"] = message_key_text(sender["user_id"].get<std::string>(), message.key.sent_at);
    }
    put_images(item, ports, message, previews, reader);
    item["sender"] = std::move(sender);
    if (message.recipient) item["to"] = person_json(people, *message.recipient);
    if (message.group_id) item["group_id"] = *message.group_id;
    if (!message.recalled) {
      const auto& text = *next_text++;
      if (text) item["text"] = *text;
    }
    items.push_back(std::move(item));
  }
  return items;
}

std::string message_place_text(const MessageKey& key) {
  return core::format_iso8601(key.sent_at) + "/" + key.sender.to_string();
}

http::Parsed<http::PageRequest<MessageKey>> read_message_place(const http::Request& request,
                                                               std::string_view kind) {
  return http::read_page(request, kind, parse_message_place);
}

// The places are those of the list, also of what its reader is not shown yet.
http::Response message_page_response(const ApiPorts& ports, const core::AccountId& reader,
                                     std::string_view kind, const MessagePage& page) {
  http::Page answer;
  answer.items = message_items(ports, reader, page.messages);
  if (page.has_newer) answer.before = message_place_text(page.messages.front().key);
  if (page.has_older) answer.after = message_place_text(page.messages.back().key);
  return http::page_response(kind, std::move(answer));
}

}  // namespace tideline::feed
