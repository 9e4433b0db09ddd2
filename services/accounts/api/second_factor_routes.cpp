#include <optional>
#include <utility>

#include "accounts/api/account_fields.hpp"
#include "accounts/api/account_view.hpp"
#include "accounts/api/password_attempt.hpp"
#include "accounts/api/password_check.hpp"
#include "accounts/api/recovery_codes.hpp"
#include "accounts/api/routes.hpp"
#include "accounts/api/second_factor.hpp"
#include "accounts/api/session_issue.hpp"
#include "accounts/domain/account.hpp"
#include "accounts/domain/rejections.hpp"
#include "accounts/domain/second_factor.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "crypto/totp.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::accounts {
namespace {

namespace es = eventsourcing;
using http::Request;
using http::Response;

constexpr http::Length kSecretLength{32, 32};

// Nothing is stored before the app has shown that it has the secret.
Response draw_secret(const ApiPorts& ports, const Request& request) {
  const auto account = core::value_of(load_account(ports, request.account()));
  if (!account.state.open()) return http::to_response(kNoSuchAccount);
  const std::string secret = crypto::new_totp_secret(ports.random);
  const std::string uri = crypto::totp_uri(secret, "Tideline", account.state.profile.user_id);
  return Response::json(200, {{"secret", secret}, {"uri", uri}});
}

struct NewSecondFactor {
  std::string password;
  std::string secret;
  std::string code;
};

NewSecondFactor read_second_factor(const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  NewSecondFactor wanted{fields.text("password", kAnyPasswordLength),
                         fields.text("secret", kSecretLength), read_app_code(fields)};
  if (!wanted.secret.empty() && !crypto::is_totp_secret(wanted.secret)) {
    fields.violate("secret", "takes 32 characters of base32");
  }
  fields.check();
  return wanted;
}

// All sessions end, which were opened without it; this one goes on as another.
Response set_second_factor(const ApiPorts& ports, const Request& request) {
  const auto wanted = read_second_factor(request);
  const core::AccountId account = request.account();
  const PasswordAttempt attempt(ports, request, account);
  attempt.check();
  const DrawnSession drawn = draw_session(ports, request, account);
  PasswordCheck check(ports.hasher, wanted.password);
  IssuedSession issued{account, drawn.token, 0};
  std::optional<VerifyEmail> told;
  const auto recovery_codes = new_recovery_codes(ports.random);
  const auto body = [&](es::CommandSession& session) -> es::CommandResult {
    const es::EventCodec<Account> codec(ports.profiles.cipher());
    const auto loaded = session.load<Account>(keys::account(account), codec);
    const bool matches = core::value_of(check.matches(loaded.state));
    if (matches) refuse_suspended(ports, session, account, loaded.state);
    const auto step = crypto::totp_step(wanted.secret, wanted.code, ports.clock.now());
    const auto changed = es::change<Account>(
        session, loaded, codec, SetSecondFactor{matches, step.has_value(), wanted.secret});
    told = changed.state.verified;
    es::change_last<UsedCodes>(session, keys::second_factor(account), es::EventCodec<UsedCodes>{},
                               UseCode{account, *step});
    stage_recovery_codes(session, account, recovery_codes);
    issued.password_version = changed.state.password_version;
    issued.roles = granted_roles(ports, changed.state);
    stage_session(ports, session, drawn, issued.password_version, OtherSessions::HaveEnded);
    return es::Answer{200, "", "", {}};
  };
  Response response = attempt.judge([&] { return ports.commands.run(without_key(request), body); });
  if (response.status != 200) return response;
  ports.emails.tell(told, EmailCodes::Notice::SecondFactorSet);
  auto answer = core::value_of(token_answer(ports, issued));
  answer["recovery_codes"] = recovery_codes;
  return with_body(std::move(response), answer);
}

Response remove_second_factor(const ApiPorts& ports, const Request& request) {
  const auto read = http::value_of(http::read_json_object(request));
  http::FieldReader fields(read);
  const Credentials shown{fields.text("password", kAnyPasswordLength),
                          read_second_factor_code(fields)};
  fields.check();
  const core::AccountId account = request.account();
  const PasswordAttempt attempt(ports, request, account);
  attempt.check();
  PasswordCheck check(ports.hasher, shown.password);
  std::optional<VerifyEmail> told;
  const auto body = [&](es::CommandSession& session) -> es::CommandResult {
    const es::EventCodec<Account> codec(ports.profiles.cipher());
    const auto loaded = session.load<Account>(keys::account(account), codec);
    const bool matches = core::value_of(check.matches(loaded.state));
    if (matches) check_second_factor(ports, session, account, loaded.state, shown.code);
    told = loaded.state.verified;
    es::change<Account>(session, loaded, codec, RemoveSecondFactor{matches});
    return es::Answer{204, "", "", {}};
  };
  Response response = attempt.judge([&] { return ports.commands.run(without_key(request), body); });
  if (response.status == 204) ports.emails.tell(told, EmailCodes::Notice::SecondFactorRemoved);
  return response;
}

}  // namespace

void add_second_factor_routes(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  constexpr const char* kPath = "/v1/me/second-factor";
  router.add(Method::Post, kPath, Access::SignedIn,
             [ports](const Request& request) { return draw_secret(ports, request); });
  router.add(Method::Put, kPath, Access::SignedIn, ports.hashing([ports](const Request& request) {
    return set_second_factor(ports, request);
  }));
  router.add(Method::Delete, kPath, Access::SignedIn,
             ports.hashing(
                 [ports](const Request& request) { return remove_second_factor(ports, request); }));
}

}  // namespace tideline::accounts
