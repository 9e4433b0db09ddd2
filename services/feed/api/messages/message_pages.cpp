// GET /v1/messages/inbox, /sent, /requests, /groups/{group_id}, /{key}
#include "feed/api/messages/message_items.hpp"
#include "feed/api/routes.hpp"
#include "http/messages/cursor.hpp"

namespace tideline::feed {
namespace {

using http::Request;
using http::Response;

std::string place_text(const MessageKey& key) {
  return core::format_iso8601(key.sent_at) + "/" + key.sender.to_string();
}

std::optional<MessageKey> parse_place(std::string_view text) {
  const auto mark = text.find('/');
  if (mark == std::string_view::npos) return std::nullopt;
  const auto sent_at = core::parse_iso8601(text.substr(0, mark));
  const auto sender = core::AccountId::parse(text.substr(mark + 1));
  if (!sent_at || !sender) return std::nullopt;
  return MessageKey{*sent_at, *sender};
}

Response answer_list(const ApiPorts& ports, const Request& request, std::string_view kind,
                     MessageList list) {
  const auto wanted = http::value_of(http::read_page(request, kind, parse_place));
  list.owner = request.account();
  if (const auto day = request.query("day")) {
    list.day = core::parse_day(*day);
    if (!list.day) return to_response(http::malformed("day is a UTC day, YYYY-MM-DD"));
  }
  return http::answer_query(
      request, {ports.tables_applied}, http::WhenBehind::Stale, [&]() -> Response {
        const auto page = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
          return read_messages(transaction, list, {wanted.after, wanted.before},
                               static_cast<std::size_t>(wanted.limit));
        }));
        auto items = message_items(ports, page.messages);
        http::Page answer;
        answer.items = std::move(items);
        if (page.has_newer) answer.before = place_text(page.messages.front().key);
        if (page.has_older) answer.after = place_text(page.messages.back().key);
        return http::page_response(kind, std::move(answer));
      });
}

Response answer_box(const ApiPorts& ports, const Request& request, std::string_view kind,
                    MessageBox box) {
  MessageList list;
  list.box = box;
  return answer_list(ports, request, kind, list);
}

Response handle_group(const ApiPorts& ports, const Request& request) {
  MessageList list;
  list.group_id = std::string(request.param("group_id"));
  return answer_list(ports, request, "group-messages", list);
}

Response handle_message(const ApiPorts& ports, const Request& request) {
  const auto key = parse_message_key(ports.account_ids, request.param("key"));
  if (!key) return to_response(http::not_found());
  return http::answer_query(
      request, {ports.tables_applied}, http::WhenBehind::Refuse, [&]() -> Response {
        const auto found = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
          return find_message(transaction, *key, request.account());
        }));
        if (!found) return to_response(http::not_found());
        const auto items = message_items(ports, {*found});
        return Response::json(200, items.front());
      });
}

}  // namespace

void add_message_queries(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  router.add(Method::Get, "/v1/messages/inbox", Access::SignedIn, [ports](const Request& request) {
    return answer_box(ports, request, "inbox", MessageBox::Inbox);
  });
  router.add(Method::Get, "/v1/messages/sent", Access::SignedIn, [ports](const Request& request) {
    return answer_box(ports, request, "sent", MessageBox::Sent);
  });
  router.add(Method::Get, "/v1/messages/requests", Access::SignedIn,
             [ports](const Request& request) {
               return answer_box(ports, request, "message-requests", MessageBox::Requests);
             });
  router.add(Method::Get, "/v1/messages/groups/{group_id}", Access::SignedIn,
             [ports](const Request& request) { return handle_group(ports, request); });
  router.add(Method::Get, "/v1/messages/{key}", Access::SignedIn,
             [ports](const Request& request) { return handle_message(ports, request); });
}

}  // namespace tideline::feed
