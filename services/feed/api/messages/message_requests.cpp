// POST /v1/messages/requests/{user_id}/accept, /ignore; GET and PUT /v1/messages/setting
#include "core/text.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/routes.hpp"
#include "feed/domain/message_request.hpp"
#include "feed/domain/message_setting.hpp"
#include "feed/projections/message_queries.hpp"
#include "feed/stored_events.hpp"
#include "feed/stream_keys.hpp"
#include "http/messages/json.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Answer;
using eventsourcing::change_last;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using eventsourcing::EventCodec;
using http::Request;
using http::Response;

http::Handler answering(const ApiPorts& ports, RequestAnswer answer) {
  return [ports, answer](const Request& request) -> Response {
    const std::string_view user_id = request.param("user_id");
    if (!core::is_user_id(user_id)) http::refuse(http::no_such_person());
    const core::AccountId sender = ports.account_ids.of(user_id);
    const core::AccountId& me = request.account();
    return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
      const auto stream = keys::message_request(me, sender);
      change_last<MessageRequest>(session, stream, EventCodec<MessageRequest>{},
                                  AnswerMessageRequest{me, sender, answer});
      return Answer{204, "", "", stream};
    });
  };
}

Response setting_response(bool contacts_only) {
  return Response::json(200, {{"contacts_only", contacts_only}});
}

Response change_setting(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const bool contacts_only = fields.boolean("contacts_only");
  fields.check();
  const core::AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::message_setting(me);
    change_last<MessageSetting>(session, stream, EventCodec<MessageSetting>{},
                                ChangeMessageSetting{me, contacts_only});
    return Answer{200, setting_response(contacts_only).body, "", stream};
  });
}

Response get_setting(const ApiPorts& ports, const Request& request) {
  return http::answer_query(
      request, {ports.tables_applied}, http::WhenBehind::Stale, [&]() -> Response {
        return setting_response(
            core::value_of(ports.database.read([&](sql::Transaction& transaction) {
              return takes_contacts_only(transaction, request.account());
            })));
      });
}

}  // namespace

void add_message_requests(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  router.add(Method::Post, "/v1/messages/requests/{user_id}/accept", Access::SignedIn,
             answering(ports, RequestAnswer::Accepted));
  router.add(Method::Post, "/v1/messages/requests/{user_id}/ignore", Access::SignedIn,
             answering(ports, RequestAnswer::Ignored));
  router.add(Method::Get, "/v1/messages/setting", Access::SignedIn,
             [ports](const Request& request) { return get_setting(ports, request); });
  router.add(Method::Put, "/v1/messages/setting", Access::SignedIn,
             [ports](const Request& request) { return change_setting(ports, request); });
}

}  // namespace tideline::feed
