#include <nlohmann/json.hpp>
#include <utility>

#include "accounts/api/account_view.hpp"
#include "accounts/api/routes.hpp"
#include "accounts/api/session_issue.hpp"
#include "accounts/api/session_list.hpp"
#include "accounts/domain/rejections.hpp"
#include "accounts/domain/session.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::accounts {
namespace {

namespace es = eventsourcing;
using http::Request;
using http::Response;

Response list_sessions(const ApiPorts& ports, const Request& request) {
  // The streams are always as new as any token: there is no model to wait for.
  return http::answer_query(request, {}, http::WhenBehind::Stale, [&]() -> Response {
    const auto account = core::value_of(load_account(ports, request.account()));
    if (!account.state.open()) return http::to_response(kNoSuchAccount);
    return Response::json(200, {{"items", open_sessions(ports, request.account(), account.state,
                                                        request.principal->session_id)}});
  });
}

Response end_session(const ApiPorts& ports, const Request& request) {
  const std::string session_id(request.param("session_id"));
  if (!core::is_time_ordered_id(session_id)) return http::to_response(kNoSuchSession);
  return ports.commands.answer(request, [&](es::CommandSession& session) -> es::CommandResult {
    es::change_last<Session>(session, keys::session(session_id), es::EventCodec<Session>{},
                             EndSession{request.account()});
    stage_session_end(session, request.account(), session_id);
    return es::Answer{204, "", "", {}};
  });
}

}  // namespace

void add_session_list_routes(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  router.add(Method::Get, "/v1/sessions", Access::SignedIn,
             [ports](const Request& request) { return list_sessions(ports, request); });
  router.add(Method::Delete, "/v1/sessions/{session_id}", Access::SignedIn,
             [ports](const Request& request) { return end_session(ports, request); });
}

}  // namespace tideline::accounts
