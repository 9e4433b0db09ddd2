#include "accounts/api/session_issue.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "accounts/api/account_view.hpp"
#include "accounts/api/password_check.hpp"
#include "accounts/api/recovery_codes.hpp"
#include "accounts/api/second_factor.hpp"
#include "accounts/domain/account.hpp"
#include "accounts/domain/rejections.hpp"
#include "accounts/domain/session.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/commands/once.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "http/messages/problem.hpp"

namespace tideline::accounts {

namespace es = eventsourcing;

namespace {

std::string client_of(const http::Request& request) {
  constexpr std::size_t kBytesMax = 200;
  const std::string_view said = request.header("User-Agent").value_or("").substr(0, kBytesMax);
  // Bytes that are no ASCII have no meaning in a header (RFC 9110, 5.5).
  const bool readable = std::ranges::all_of(said, [](char c) { return c >= ' ' && c <= '~'; });
  return readable ? std::string(said) : "";
}

void stage_token_end(es::CommandSession& session, const core::AccountId& account,
                     const std::string& session_id) {
  es::record_once(session, keys::session_end(session_id), SessionEnded{account, session_id});
}

// The first of too many. The list loses it by taking the new one.
void stage_displaced(es::CommandSession& session, const core::AccountId& account,
                     const std::string& session_id) {
  es::change_last<Session>(session, keys::session(session_id), es::EventCodec<Session>{},
                           EndSession{account});
  stage_token_end(session, account, session_id);
}

}  // namespace

DrawnSession draw_session(const ApiPorts& ports, const http::Request& request,
                          const core::AccountId& account) {
  return {RefreshToken::draw(ports.clock.now(), ports.random), account, client_of(request)};
}

void stage_session(const ApiPorts& ports, es::CommandSession& session, const DrawnSession& drawn,
                   std::uint32_t password_version, OtherSessions others) {
  const core::Timestamp now = session.context().now;
  const ShownToken hashes = drawn.token.hashes();
  const std::string& session_id = drawn.token.session_id();
  const SessionFacts facts{
      drawn.account, hashes.family_hash,          hashes.token_hash, password_version,
      now,           now + ports.session_lifetime};
  es::begin<Session>(session, keys::session(session_id),
                     es::EventCodec<Session>(ports.profiles.cipher()),
                     OpenSession{facts, drawn.client});
  const es::EventCodec<SessionList> codec;
  const auto list = session.load_last<SessionList>(keys::session_list(drawn.account), codec);
  if (others == OtherSessions::HaveEnded) {
    es::change<SessionList>(session, list, codec, ListAlone{drawn.account, session_id});
    return;
  }
  const std::string displaced = list.state.too_many();
  if (!displaced.empty()) stage_displaced(session, drawn.account, displaced);
  es::change<SessionList>(session, list, codec, ListSession{drawn.account, session_id});
}

std::set<AccountRole> granted_roles(const ApiPorts& ports, const Account::State& state) {
  if (ports.operators_need_second_factor && !state.second_factor) return {};
  return state.roles;
}

void refuse_suspended(const ApiPorts& ports, es::CommandSession& session,
                      const core::AccountId& account, const Account::State& state) {
  if (!state.is_suspended(session.context().now)) return;
  // The one that loaded the account may have had no cipher.
  const auto opened = session.load<Account>(keys::account(account),
                                            es::EventCodec<Account>(ports.profiles.cipher()));
  const SuspendAccount told = opened.state.suspension.value_or(SuspendAccount{});
  http::Problem problem =
      http::problem(403, "account-suspended", "The account is suspended", told.reason);
  problem.extensions["until"] = core::format_iso8601(told.until);
  http::refuse(std::move(problem));
}

core::Result<nlohmann::json> token_answer(const ApiPorts& ports, const IssuedSession& issued) {
  crypto::TokenSubject subject{.account = issued.account,
                               .roles = {"user"},
                               .session_id = issued.token.session_id(),
                               .password_version = issued.password_version};
  if (issued.roles.contains(AccountRole::Operator)) subject.roles.emplace_back(http::kOperatorRole);
  if (issued.roles.contains(AccountRole::Moderator))
    subject.roles.emplace_back(http::kModeratorRole);
  auto access = ports.signer.sign(subject, ports.clock.now());
  if (!access) return access.error();
  return nlohmann::json{{"access_token", access->token},
                        {"refresh_token", issued.token.text()},
                        {"expires_at", core::format_iso8601(access->expires_at)}};
}

http::Response with_tokens(const ApiPorts& ports, http::Response response,
                           const IssuedSession& issued) {
  return with_body(std::move(response), core::value_of(token_answer(ports, issued)));
}

void stage_session_end(es::CommandSession& session, const core::AccountId& account,
                       const std::string& session_id) {
  stage_token_end(session, account, session_id);
  es::change_last<SessionList>(session, keys::session_list(account), es::EventCodec<SessionList>{},
                               UnlistSession{account, session_id});
}

std::string session_marker(const DrawnSession& drawn) {
  return nlohmann::json{{"session_id", drawn.token.session_id()}}.dump();
}

http::Response with_body(http::Response response, const nlohmann::json& body) {
  http::Response json = http::Response::json(response.status, body);
  json.headers = std::move(response.headers);
  json.headers.set("Content-Type", "application/json");
  return json;
}

http::Request without_secrets(const http::Request& request, const core::AccountId& account,
                              std::string body_to_hash) {
  http::Request seen = request;
  seen.principal = http::Principal{account, {}};
  seen.body = std::move(body_to_hash);
  return seen;
}

http::Request without_key(const http::Request& request) {
  http::Request seen = request;
  seen.headers.remove("Idempotency-Key");
  seen.headers.remove("If-Match");
  seen.body.clear();
  return seen;
}

http::Response open_session(const ApiPorts& ports, const http::Request& request,
                            const core::AccountId& account, const Credentials& shown,
                            SignInDay day) {
  const eventsourcing::EventCodec<Account> account_codec;
  const DrawnSession drawn = draw_session(ports, request, account);
  PasswordCheck check(ports.hasher, shown.password);
  bool wrong = false;
  IssuedSession issued{account, drawn.token, 0};
  auto response = ports.commands.run(
      without_key(request), [&](es::CommandSession& session) -> es::CommandResult {
        const auto loaded = session.load<Account>(keys::account(account), account_codec);
        const auto matches = core::value_of(check.matches(loaded.state));
        wrong = !matches;
        if (wrong) return kWrongPassword;
        check_second_factor(ports, session, account, loaded.state, shown.code);
        refuse_suspended(ports, session, account, loaded.state);
        // The password may be changed, or the account closed, while this one is on its way.
        session.assert_unchanged(loaded);
        issued.password_version = loaded.state.password_version;
        issued.roles = granted_roles(ports, loaded.state);
        stage_session(ports, session, drawn, issued.password_version);
        if (day == SignInDay::Record) {
          const core::Day today = session.context().today;
          es::record_once(session, keys::sign_in(account, today), SignedIn{account, today});
        }
        return es::Answer{201, "", "", {}};
      });
  if (wrong) return to_response(http::unauthenticated("the user_id or the password is wrong"));
  if (response.status != 201) return response;
  if (looks_like_recovery_code(shown.code)) {
    const auto owner = core::value_of(load_account(ports, account));
    ports.emails.tell(owner.state.verified, EmailCodes::Notice::RecoveryCodeUsed);
  }
  return with_tokens(ports, std::move(response), issued);
}

}  // namespace tideline::accounts
