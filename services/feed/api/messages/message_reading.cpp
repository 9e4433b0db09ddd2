// POST /v1/messages/inbox/read, /conversations/{user_id}/read, /groups/{group_id}/read,
// GET /v1/messages/inbox/unread
#include <algorithm>

#include "core/text.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/messages/message_access.hpp"
#include "feed/api/messages/message_items.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/domain/group_reading.hpp"
#include "feed/domain/message_reading.hpp"
#include "feed/stored_events.hpp"
#include "feed/stream_keys.hpp"
#include "http/messages/json.hpp"

namespace tideline::feed {
namespace {

namespace es = eventsourcing;
using http::Json;
using http::Request;
using http::Response;

constexpr std::size_t kKeysMax = 100;
constexpr std::size_t kKeyLengthMax = 100;

// Either some messages, or all up to one; of the peer alone where there is one.
struct Wanted {
  std::optional<core::AccountId> peer;
  std::vector<MessageKey> keys;
  std::optional<MessageKey> up_to;
};

struct Marks {
  std::vector<MessageKey> unread;  // to be marked
  bool more = false;               // more than one call marks
};

MessageKey parse_up_to(const ApiPorts& ports, http::FieldReader& fields, const std::string& text) {
  const auto key = parse_message_key(ports.account_ids, text);
  if (!key) fields.violate("up_to", "is no key of a message");
  return key.value_or(MessageKey());
}

MessageKey read_up_to(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const MessageKey up_to = parse_up_to(ports, fields, fields.text("up_to", {1, kKeyLengthMax}));
  fields.check();
  return up_to;
}

Wanted read_wanted(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  Wanted wanted;
  const auto keys = fields.optional_text_array("keys", kKeysMax, {1, kKeyLengthMax});
  const auto up_to = fields.optional_text("up_to", {1, kKeyLengthMax});
  if (keys.empty() == !up_to.has_value()) fields.violate("", "give either keys or up_to");
  for (const std::string& text : keys) {
    const auto key = parse_message_key(ports.account_ids, text);
    if (key) {
      wanted.keys.push_back(*key);
    } else {
      fields.violate("keys", "\"" + text + "\" is no key of a message");
    }
  }
  if (up_to) wanted.up_to = parse_up_to(ports, fields, *up_to);
  fields.check();
  return wanted;
}

// nullopt: one of the messages is not in the reader's Inbox, or not yet.
std::optional<Marks> find_marks(sql::Transaction& transaction, const core::AccountId& reader,
                                const Wanted& wanted) {
  Marks marks;
  if (wanted.up_to) {
    marks.unread = find_unread(transaction, reader, wanted.peer, *wanted.up_to,
                               MessageReading::kMessagesMax + 1);
    marks.more = marks.unread.size() > MessageReading::kMessagesMax;
    if (marks.more) marks.unread.pop_back();
    return marks;
  }
  const auto received = find_received(transaction, reader, wanted.keys);
  for (const MessageKey& key : wanted.keys) {
    const auto found = std::find_if(received.begin(), received.end(),
                                    [&](const ReceivedMessage& one) { return one.key == key; });
    if (found == received.end()) return std::nullopt;
    if (!found->read) marks.unread.push_back(key);
  }
  return marks;
}

Response mark_as_read(const ApiPorts& ports, const Request& request, const Wanted& wanted) {
  http::await_models(request, {ports.tables_applied});
  const core::AccountId& reader = request.account();
  const auto marks = core::value_of(ports.database.read(
      [&](sql::Transaction& transaction) { return find_marks(transaction, reader, wanted); }));
  if (!marks) {
    return to_response(http::problem(404, "no-such-message", "Not found",
                                     "one of the messages is not in the caller's Inbox"));
  }
  return ports.commands.answer(request, [&](es::CommandSession& session) -> es::CommandResult {
    const auto stream = keys::reading(reader, session.context().now);
    es::change<MessageReading>(session, stream, eventsourcing::EventCodec<MessageReading>{},
                               MarkAsRead{reader, (*marks).unread});
    const Json answer{{"marked", (*marks).unread.size()}, {"more", (*marks).more}};
    return es::Answer{200, answer.dump(), "", {}};
  });
}

Response handle_read(const ApiPorts& ports, const Request& request) {
  return mark_as_read(ports, request, read_wanted(ports, request));
}

// Of the messages that the person has sent to the caller.
Response handle_thread_read(const ApiPorts& ports, const Request& request) {
  const std::string_view user_id = request.param("user_id");
  if (!core::is_user_id(user_id)) http::refuse(http::no_such_person());
  return mark_as_read(ports, request,
                      {ports.account_ids.of(user_id), {}, read_up_to(ports, request)});
}

Response handle_group_read(const ApiPorts& ports, const Request& request) {
  const std::string group_id(request.param("group_id"));
  const MessageKey up_to = read_up_to(ports, request);
  const core::AccountId& reader = request.account();
  require_fresh(ports, request);
  if (!messages_of_group(ports, group_id, reader)) return to_response(no_such_group());
  return ports.commands.answer(request, [&](es::CommandSession& session) -> es::CommandResult {
    const auto stream = keys::group_reading(reader, group_id);
    es::change_last<GroupReading>(session, stream, es::EventCodec<GroupReading>{},
                                  MarkGroupRead{reader, group_id, up_to, session.context().now});
    return es::Answer{204, "", "", stream};
  });
}

Response handle_unread_messages(const ApiPorts& ports, const Request& request) {
  return http::answer_query(
      request, {ports.tables_applied}, http::WhenBehind::Stale, [&]() -> Response {
        const auto unread = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
          return count_unread(transaction, request.account());
        }));
        return Response::json(200, {{"unread", unread}});
      });
}

}  // namespace

void add_message_reading(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  router.add(Method::Post, "/v1/messages/inbox/read", Access::SignedIn,
             [ports](const Request& request) { return handle_read(ports, request); });
  router.add(Method::Post, "/v1/messages/conversations/{user_id}/read", Access::SignedIn,
             [ports](const Request& request) { return handle_thread_read(ports, request); });
  router.add(Method::Post, "/v1/messages/groups/{group_id}/read", Access::SignedIn,
             [ports](const Request& request) { return handle_group_read(ports, request); });
  router.add(Method::Get, "/v1/messages/inbox/unread", Access::SignedIn,
             [ports](const Request& request) { return handle_unread_messages(ports, request); });
}

}  // namespace tideline::feed
