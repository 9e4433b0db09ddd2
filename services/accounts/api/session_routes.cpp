#include <optional>
#include <set>
#include <utility>

#include "accounts/api/account_fields.hpp"
#include "accounts/api/password_attempt.hpp"
#include "accounts/api/routes.hpp"
#include "accounts/api/session_issue.hpp"
#include "accounts/domain/account.hpp"
#include "accounts/domain/rejections.hpp"
#include "accounts/domain/session.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/commands/once.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::accounts {
namespace {

namespace es = eventsourcing;
using http::Request;
using http::Response;

constexpr http::Length kRefreshTokenLength{1, 256};

Response sign_in(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string user_id = fields.text("user_id", kUserIdLength);
  const Credentials shown{fields.text("password", kAnyPasswordLength),
                          read_optional_second_factor_code(fields)};
  fields.check();

  const core::AccountId account = ports.account_ids.of(user_id);
  const PasswordAttempt attempt(ports, request, account);
  attempt.check();
  return attempt.judge(
      [&] { return open_session(ports, request, account, shown, SignInDay::Record); });
}

// The token that a body shows; a text that cannot be one is refused like any other that is not
// good.
std::optional<RefreshToken> read_refresh_token(const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string text = fields.text("refresh_token", kRefreshTokenLength);
  fields.check();
  return RefreshToken::parse(text);
}

Response refused() {
  http::Problem problem = http::problem(401, kRefreshRefused.code, "The refresh token is not good",
                                        kRefreshRefused.detail);
  problem.headers.set("WWW-Authenticate", "Bearer realm=\"tideline\"");
  return to_response(problem);
}

struct Refresh {
  const ApiPorts& ports;
  RefreshToken shown;
  RefreshToken next;
  core::AccountId account;
  std::uint32_t password_version = 0;
  std::set<AccountRole> roles{};
  bool refused = false;

  es::CommandResult run(es::CommandSession& session);
};

es::CommandResult Refresh::run(es::CommandSession& session) {
  refused = true;
  const auto family = session.load_last<Session>(keys::session(shown.session_id()),
                                                 eventsourcing::EventCodec<Session>{});
  if (family.state.phase == Session::Phase::None) return kRefreshRefused;
  account = family.state.facts.account;
  password_version = family.state.facts.password_version;
  const auto owner =
      session.load<Account>(keys::account(account), eventsourcing::EventCodec<Account>());
  roles = granted_roles(ports, owner.state);
  const auto decision = Session::decide(
      family.state, RefreshSession{shown.hashes(), next.hashes().token_hash, session.context().now,
                                   owner.state.open(), owner.state.password_version});
  if (decision.rejected()) return decision.rejection();
  session.stage(family, decision.events(), eventsourcing::EventCodec<Session>{});
  refused = !std::holds_alternative<SessionRefreshed>(decision.events().front());
  if (!refused) {
    // A new token must not follow from a password that is being changed at this moment.
    session.assert_unchanged(owner);
    // Who stays signed in has come today as well.
    const core::Day today = session.context().today;
    es::record_once(session, keys::sign_in(account, today), SignedIn{account, today});
  } else {
    stage_session_end(session, account, shown.session_id());
  }
  return es::Answer{200, "", "", {}};
}

Response refresh(const ApiPorts& ports, const Request& request) {
  const auto shown = read_refresh_token(request);
  if (!shown) return refused();
  Refresh refresh{ports, *shown, shown->next(ports.random), {}};
  Response response =
      ports.commands.run(without_key(request), [&](auto& session) { return refresh.run(session); });
  const bool decided = response.status == 200 || response.status == 403;
  if (!decided) return response;
  if (refresh.refused) return refused();
  return with_tokens(ports, std::move(response),
                     {refresh.account, refresh.next, refresh.password_version, refresh.roles});
}

Response sign_out(const ApiPorts& ports, const Request& request) {
  const auto shown = read_refresh_token(request);
  if (!shown) return http::to_response(kRefreshRefused);
  return ports.commands.answer(request, [&](es::CommandSession& session) -> es::CommandResult {
    es::change_last<Session>(session, keys::session(shown->session_id()),
                             eventsourcing::EventCodec<Session>{},
                             SignOut{request.account(), shown->hashes()});
    stage_session_end(session, request.account(), shown->session_id());
    return es::Answer{204, "", "", {}};
  });
}

}  // namespace

void add_session_routes(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  router.add(Method::Post, "/v1/sessions", Access::Public,
             ports.hashing([ports](const Request& request) { return sign_in(ports, request); }));
  router.add(Method::Post, "/v1/sessions/refresh", Access::Public,
             [ports](const Request& request) { return refresh(ports, request); });
  router.add(Method::Post, "/v1/sessions/sign-out", Access::RevokedToo,
             [ports](const Request& request) { return sign_out(ports, request); });
}

}  // namespace tideline::accounts
