// POST /v1/messages/inbox/read, GET /v1/messages/inbox/unread
#include <algorithm>

#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/messages/message_items.hpp"
#include "feed/api/routes.hpp"
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

// Either some messages, or all up to one.
struct Wanted {
  std::vector<MessageKey> keys;
  std::optional<MessageKey> up_to;
};

struct Marks {
  std::vector<MessageKey> unread;  // to be marked
  bool more = false;               // more than one call marks
};

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
  if (up_to) {
    wanted.up_to = parse_message_key(ports.account_ids, *up_to);
    if (!wanted.up_to) fields.violate("up_to", "is no key of a message");
  }
  fields.check();
  return wanted;
}

// nullopt: one of the messages is not in the reader's Inbox, or not yet.
std::optional<Marks> find_marks(sql::Transaction& transaction, const core::AccountId& reader,
                                const Wanted& wanted) {
  Marks marks;
  if (wanted.up_to) {
    marks.unread =
        find_unread(transaction, reader, *wanted.up_to, MessageReading::kMessagesMax + 1);
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

Response handle_read(const ApiPorts& ports, const Request& request) {
  const auto wanted = read_wanted(ports, request);
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

Response handle_unread(const ApiPorts& ports, const Request& request) {
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
  router.add(Method::Get, "/v1/messages/inbox/unread", Access::SignedIn,
             [ports](const Request& request) { return handle_unread(ports, request); });
}

}  // namespace tideline::feed
