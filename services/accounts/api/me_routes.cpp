#include <optional>
#include <utility>

#include "accounts/api/account_fields.hpp"
#include "accounts/api/account_view.hpp"
#include "accounts/api/address_claim.hpp"
#include "accounts/api/password_attempt.hpp"
#include "accounts/api/password_check.hpp"
#include "accounts/api/profile_numbers.hpp"
#include "accounts/api/routes.hpp"
#include "accounts/api/second_factor.hpp"
#include "accounts/api/session_issue.hpp"
#include "accounts/domain/account.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::accounts {
namespace {

namespace es = eventsourcing;
using http::Request;
using http::Response;

// The account itself is its stream, always as new as any token. Its points come from scoring and
// its visits from a table, which a token covers.
Response show(const ApiPorts& ports, const Request& request) {
  return http::answer_query(
      request, {ports.visits_applied, ports.scores_applied}, http::WhenBehind::Stale, [&] {
        Response response = with_own_profile(ports, Response(), request.account());
        if (response.status != 200) return response;
        const core::Day today = ports.campus.day_of(ports.clock.now());
        const auto numbers = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
          return find_numbers(transaction, request.account(), today);
        }));
        auto body = nlohmann::json::parse(response.body);
        body["visits"] = visits_json(numbers.visits);
        body.update(scores_json(numbers.score, today));
        return with_body(std::move(response), body);
      });
}

Response change(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const ChangeProfile wanted = read_profile_change(fields);
  fields.check();

  const core::StreamId stream = keys::account(request.account());
  const eventsourcing::EventCodec<Account> codec(ports.profiles.cipher());
  // The stored answer holds no personal text: a result outlives the erasure of its account.
  Response response =
      ports.commands.run(request, [&](es::CommandSession& session) -> es::CommandResult {
        es::change<Account>(session, stream, codec, wanted);
        return es::Answer{200, "", "", stream};
      });
  if (response.status != 200) return response;
  return with_own_profile(ports, std::move(response), request.account());
}

struct PasswordChange {
  std::string current;
  std::string next;
  std::string code;  // of an authenticator app; "" = none
};

PasswordChange read_password_change(const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  PasswordChange change{fields.text("current", kAnyPasswordLength),
                        read_new_password(fields, "new"), read_optional_second_factor_code(fields)};
  fields.check();
  return change;
}

// Sets the password and opens a session under it; all others end with the old password.
// What the new session stands on is put into `issued`, and whom to tell into `told`.
Response run_password_change(const ApiPorts& ports, const Request& request,
                             const PasswordChange& wanted, const DrawnSession& drawn,
                             IssuedSession& issued, std::optional<VerifyEmail>& told) {
  const eventsourcing::EventCodec<Account> codec(ports.profiles.cipher());
  PasswordCheck check(ports.hasher, wanted.current);
  std::optional<std::string> hash;
  return ports.commands.run(
      without_secrets(request, request.account(), ""),
      [&](es::CommandSession& session) -> es::CommandResult {
        const auto loaded = session.load<Account>(keys::account(request.account()), codec);
        const auto matches = core::value_of(check.matches(loaded.state));
        // The token may be one from before there was a second factor.
        if (matches) {
          check_second_factor(ports, session, request.account(), loaded.state, wanted.code);
          refuse_suspended(ports, session, request.account(), loaded.state);
        }
        if (matches && !hash) {
          auto made = core::value_of(ports.hasher.hash(wanted.next));
          hash = std::move(made);
        }
        const auto decision =
            Account::decide(loaded.state, ChangePassword{matches, hash.value_or("")});
        if (decision.rejected()) return decision.rejection();
        session.stage(loaded, decision.events(), codec);
        told = loaded.state.verified;
        issued.password_version = loaded.state.password_version + 1;
        issued.roles = granted_roles(ports, loaded.state);
        stage_session(ports, session, drawn, issued.password_version, OtherSessions::HaveEnded);
        return es::Answer{200, session_marker(drawn), "", {}};
      });
}

Response change_password(const ApiPorts& ports, const Request& request) {
  const auto wanted = read_password_change(request);
  const PasswordAttempt attempt(ports, request, request.account());
  attempt.check();

  const DrawnSession drawn = draw_session(ports, request, request.account());
  IssuedSession issued{request.account(), drawn.token, 0};
  std::optional<VerifyEmail> told;
  Response response = attempt.judge(
      [&] { return run_password_change(ports, request, wanted, drawn, issued, told); });
  if (response.status != 200) return response;
  if (response.body == session_marker(drawn)) {
    ports.emails.tell(told, EmailCodes::Notice::PasswordChanged);
    return with_tokens(ports, std::move(response), issued);
  }
  // The same request again: anyone who knows the new password gets another session.
  const PasswordAttempt again(ports, request, request.account());
  again.check();
  Response opened = again.judge([&] {
    return open_session(ports, request, request.account(), {wanted.next, wanted.code},
                        SignInDay::Leave);
  });
  if (opened.status == 201) opened.status = 200;
  return opened;
}

Response close(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string password = fields.text("password", kAnyPasswordLength);
  const std::string code = read_optional_second_factor_code(fields);
  fields.check();
  const core::AccountId account = request.account();
  const PasswordAttempt attempt(ports, request, account);
  attempt.check();

  const eventsourcing::EventCodec<Account> codec;
  PasswordCheck check(ports.hasher, password);
  Response response = attempt.judge([&] {
    return ports.commands.run(without_secrets(request, account, ""),
                              [&](es::CommandSession& session) -> es::CommandResult {
                                const auto loaded =
                                    session.load<Account>(keys::account(account), codec);
                                const auto matches = core::value_of(check.matches(loaded.state));
                                if (matches) {
                                  check_second_factor(ports, session, account, loaded.state, code);
                                }
                                const auto decision = Account::decide(
                                    loaded.state, CloseAccount{matches, session.context().now});
                                if (decision.rejected()) return decision.rejection();
                                session.stage(loaded, decision.events(), codec);
                                move_claim(session, account, loaded.state.verified, std::nullopt);
                                return es::Answer{204, "", "", {}};
                              });
  });
  if (response.status == 204) {
    // At once for whoever asked. If it fails now, the profile feed erases the key: closed is
    // closed.
    (void)ports.profiles.erase(account);
  }
  return response;
}

}  // namespace

void add_me_routes(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  router.add(Method::Get, "/v1/me", Access::SignedIn,
             [ports](const Request& request) { return show(ports, request); });
  router.add(Method::Patch, "/v1/me", Access::SignedIn,
             [ports](const Request& request) { return change(ports, request); });
  router.add(
      Method::Post, "/v1/me/password", Access::RevokedToo,
      ports.hashing([ports](const Request& request) { return change_password(ports, request); }));
  router.add(Method::Delete, "/v1/me", Access::RevokedToo,
             ports.hashing([ports](const Request& request) { return close(ports, request); }));
}

}  // namespace tideline::accounts
