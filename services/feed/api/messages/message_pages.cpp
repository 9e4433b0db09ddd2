// GET /v1/messages/inbox, /sent, /requests, /groups/{group_id}, /timelines/{key}, /{key},
// /{key}/images/{hash}
#include <algorithm>

#include "core/text.hpp"
#include "feed/api/messages/message_access.hpp"
#include "feed/api/messages/message_items.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "http/messages/cursor.hpp"
#include "uploads/upload_http.hpp"

namespace tideline::feed {
namespace {

using http::Request;
using http::Response;
using DayWanted = std::optional<core::Day>;

DayWanted read_day(const Request& request) {
  const auto text = request.query("day");
  if (!text) return std::nullopt;
  const auto day = core::parse_day(*text);
  if (!day) http::refuse(http::malformed("day is a UTC day, YYYY-MM-DD"));
  return day;
}

Response answer_box(const ApiPorts& ports, const Request& request, std::string_view kind,
                    MessageBox box, const DayWanted& day) {
  const auto wanted = http::value_of(read_message_place(request, kind));
  const MessageList list{request.account(), box, day};
  return http::answer_query(
      request, {ports.tables_applied}, http::WhenBehind::Stale, [&]() -> Response {
        const auto page = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
          return read_messages(transaction, list, {wanted.after, wanted.before},
                               static_cast<std::size_t>(wanted.limit));
        }));
        return message_page_response(ports, request.account(), kind, page);
      });
}

Response answer_group(const ApiPorts& ports, const Request& request, std::string_view group_id,
                      const DayWanted& day) {
  constexpr std::string_view kGroupMessages = "group-messages";
  const auto wanted = http::value_of(read_message_place(request, kGroupMessages));
  return answer_private(ports, request, ports.tables_applied, [&]() -> Response {
    const GroupReader reader = group_reader(ports, request.account());
    auto list = messages_of_group(ports, group_id, request.account());
    if (!list) return to_response(no_such_group());
    list->day = day;
    const auto page = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
      return read_group_messages(transaction, reader, *list, {wanted.after, wanted.before},
                                 static_cast<std::size_t>(wanted.limit));
    }));
    return message_page_response(ports, request.account(), kGroupMessages, page);
  });
}

// <user_id>_<Inbox|Sent>_<day> of the caller himself, or <group_id>_Inbox_<day>. A user_id may hold
// the mark, too, but nothing behind it does.
Response handle_day(const ApiPorts& ports, const Request& request) {
  const std::string_view key = request.param("key");
  const auto day_mark = key.rfind('_');
  if (day_mark == std::string_view::npos) return to_response(http::not_found());
  const auto box_mark = key.substr(0, day_mark).rfind('_');
  const DayWanted day = core::parse_day(key.substr(day_mark + 1));
  if (box_mark == std::string_view::npos || !day) return to_response(http::not_found());
  const std::string_view owner = key.substr(0, box_mark);
  const std::string_view box = key.substr(box_mark + 1, day_mark - box_mark - 1);
  if (core::is_user_id(owner) && ports.account_ids.of(owner) == request.account()) {
    if (box == "Inbox") return answer_box(ports, request, "inbox", MessageBox::Inbox, day);
    if (box == "Sent") return answer_box(ports, request, "sent", MessageBox::Sent, day);
  } else if (box == "Inbox" && core::is_time_ordered_id(owner)) {
    return answer_group(ports, request, owner, day);
  }
  return to_response(http::not_found());
}

Response handle_message(const ApiPorts& ports, const Request& request) {
  return answer_message(ports, request, [&](const MessageRow& message) {
    return Response::json(200, message_items(ports, request.account(), {message}).front());
  });
}

// Whoever may read the message may see its images, and nobody else.
Response handle_message_image(const ApiPorts& ports, const Request& request) {
  const std::string hash(request.param("hash"));
  const auto size = uploads::read_image_size(request);
  return answer_message(ports, request, [&](const MessageRow& message) -> Response {
    if (std::ranges::find(message.images, hash) == message.images.end()) {
      return to_response(http::not_found());
    }
    return uploads::answer_image(ports.images, message.key.sender, hash, size,
                                 uploads::Caching::AskEachTime, http::not_found());
  });
}

}  // namespace

void add_message_queries(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  const auto add_box = [&](const std::string& path, std::string_view kind, MessageBox box) {
    router.add(http::Method::Get, path, Access::SignedIn, [=](const Request& request) {
      return answer_box(ports, request, kind, box, read_day(request));
    });
  };
  add_box("/v1/messages/inbox", "inbox", MessageBox::Inbox);
  add_box("/v1/messages/sent", "sent", MessageBox::Sent);
  add_box("/v1/messages/requests", "message-requests", MessageBox::Requests);
  const auto add = [&](const std::string& path, auto handle) {
    router.add(http::Method::Get, path, Access::SignedIn,
               [=](const Request& request) { return handle(ports, request); });
  };
  add("/v1/messages/groups/{group_id}", [](const ApiPorts& given, const Request& request) {
    return answer_group(given, request, request.param("group_id"), read_day(request));
  });
  add("/v1/messages/timelines/{key}", handle_day);
  add("/v1/messages/{key}", handle_message);
  router.add(http::Method::Get, "/v1/messages/{key}/images/{hash}", Access::SignedInOrLink,
             [=](const Request& request) { return handle_message_image(ports, request); });
}

}  // namespace tideline::feed
