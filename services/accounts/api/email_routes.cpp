#include <functional>
#include <optional>
#include <utility>

#include "accounts/api/account_fields.hpp"
#include "accounts/api/account_view.hpp"
#include "accounts/api/address_claim.hpp"
#include "accounts/api/password_attempt.hpp"
#include "accounts/api/password_check.hpp"
#include "accounts/api/recovery_codes.hpp"
#include "accounts/api/routes.hpp"
#include "accounts/api/session_issue.hpp"
#include "accounts/domain/account.hpp"
#include "accounts/domain/address.hpp"
#include "accounts/domain/rejections.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::accounts {
namespace {

namespace es = eventsourcing;
using http::Request;
using http::Response;

Response accepted() {
  Response response;
  response.status = 202;
  return response;
}

void require_mail(const ApiPorts& ports) {
  if (ports.emails.sends_mail()) return;
  http::refuse(http::problem(404, "no-mail", "No mail is sent here",
                             "this installation sends no mail: ask those who run it"));
}

// Whoever asks for many mails wants to know who is here, or to annoy.
void count_mail(const ApiPorts& ports, const Request& request) {
  if (const auto wait = ports.attempts.begin_mail(source_of(request), ports.clock.now())) {
    http::refuse(http::too_many_requests(*wait));
  }
}

bool may_get_code(const ApiPorts& ports, const core::AccountId& account,
                  const core::AccountId& address, const std::string& email) {
  const es::CommandContext context{ports.clock.now(), {}, std::nullopt, std::nullopt};
  es::CommandSession session(ports.store, context);
  if (session.load<Account>(keys::account(account), es::EventCodec<Account>{}).state.registered) {
    return false;
  }
  const auto enrolment =
      session.load_last<Enrolment>(keys::enrolment(account), es::EventCodec<Enrolment>{});
  if (enrolment.state.address) return *enrolment.state.address == address;
  if (!ports.sign_up.domains.empty()) return is_in(email, ports.sign_up.domains);
  return !ports.sign_up.closed;
}

// Answered alike whether a mail goes out or not.
Response send_sign_up_code(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string user_id = read_user_id(fields);
  const std::string email = read_email(fields);
  fields.check();
  require_mail(ports);
  count_mail(ports, request);
  const core::AccountId account = ports.account_ids.of(user_id);
  const core::AccountId address = address_of(ports.account_ids, email);
  if (may_get_code(ports, account, address, email)) {
    ports.emails.mail_sign_up(email, account, address);
  }
  return accepted();
}

Response send_verification(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string password = fields.text("password", kAnyPasswordLength);
  fields.check();
  require_mail(ports);
  const PasswordAttempt attempt(ports, request, request.account());
  attempt.check();
  return attempt.judge([&]() -> Response {
    const auto account = core::value_of(load_account(ports, request.account()));
    PasswordCheck check(ports.hasher, password);
    if (!core::value_of(check.matches(account.state))) return http::to_response(kWrongPassword);
    const std::string& email = account.state.profile.email;
    if (email.empty()) return http::to_response(kNoEmailAddress);
    ports.emails.mail_verification(email, request.account(), address_of(ports.account_ids, email));
    return accepted();
  });
}

Response verify(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string code = fields.text("code", kCodeLength);
  fields.check();
  const core::AccountId account = request.account();
  std::optional<VerifyEmail> told;  // who has had the codes until now
  Response response = ports.commands.run(
      without_secrets(request, account, ""), [&](es::CommandSession& session) -> es::CommandResult {
        const es::EventCodec<Account> codec(ports.profiles.cipher());
        const auto loaded = session.load<Account>(keys::account(account), codec);
        const std::string& email = loaded.state.profile.email;
        const core::AccountId address = address_of(ports.account_ids, email);
        if (!ports.emails.is_verification(code, account, address)) return kCodeRefused;
        const auto changed =
            es::change<Account>(session, loaded, codec, VerifyEmail{address, email});
        // The account may be closed, or its address another, while this is on its way.
        if (changed.events.empty()) session.assert_unchanged(loaded);
        told = changed.events.empty() ? std::nullopt : loaded.state.verified;
        move_claim(session, account, loaded.state.verified, address);
        return es::Answer{204, "", "", {}};
      });
  if (response.status == 204) ports.emails.tell(told, EmailCodes::Notice::AddressReplaced);
  return response;
}

// Answered alike for everybody.
Response send_reset(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string user_id = fields.text("user_id", kUserIdLength);
  fields.check();
  require_mail(ports);
  count_mail(ports, request);
  const core::AccountId account = ports.account_ids.of(user_id);
  const auto loaded = core::value_of(load_account(ports, account));
  if (loaded.state.open() && loaded.state.verified) {
    ports.emails.mail_reset(*loaded.state.verified, account, loaded.state.password_version);
  }
  return accepted();
}

struct PasswordReset {
  core::AccountId account;
  std::string code;
  std::string password;
};

// Sets the password in a command in which `accept` has thrown for a code that is not good.
Response run_reset(const ApiPorts& ports, const Request& request, const PasswordReset& wanted,
                   const std::function<void(es::CommandSession&, const Account::State&)>& accept) {
  std::optional<std::string> hash;
  std::optional<VerifyEmail> told;
  Response response = ports.commands.run(
      without_key(request), [&](es::CommandSession& session) -> es::CommandResult {
        const es::EventCodec<Account> codec(ports.profiles.cipher());
        const auto loaded = session.load<Account>(keys::account(wanted.account), codec);
        accept(session, loaded.state);
        told = loaded.state.verified;
        if (!hash) {
          auto made = core::value_of(ports.hasher.hash(wanted.password));
          hash = std::move(made);
        }
        es::change<Account>(session, loaded, codec, ResetPassword{*hash});
        return es::Answer{204, "", "", {}};
      });
  if (response.status == 204) ports.emails.tell(told, EmailCodes::Notice::PasswordChanged);
  return response;
}

Response reset_by_mail(const ApiPorts& ports, const Request& request, const PasswordReset& wanted) {
  count_mail(ports, request);
  return run_reset(ports, request, wanted, [&](es::CommandSession&, const Account::State& state) {
    const bool good =
        state.open() && state.verified &&
        ports.emails.is_reset(wanted.code, wanted.account, *state.verified, state.password_version);
    if (!good) throw es::Rejected(kCodeRefused);
  });
}

// For who has lost the mailbox as well. A second factor is still asked for when they sign in.
Response reset_by_recovery_code(const ApiPorts& ports, const Request& request,
                                const PasswordReset& wanted) {
  const PasswordAttempt attempt(ports, request, wanted.account);
  attempt.check();
  return attempt.judge([&] {
    return run_reset(ports, request, wanted,
                     [&](es::CommandSession& session, const Account::State& state) {
                       if (!state.open()) throw es::Rejected(kRecoveryCodeRefused);
                       use_recovery_code(session, wanted.account, wanted.code);
                     });
  });
}

Response reset(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string user_id = fields.text("user_id", kUserIdLength);
  const PasswordReset wanted{ports.account_ids.of(user_id), fields.text("code", kCodeLength),
                             read_new_password(fields, "new", {user_id})};
  fields.check();
  if (looks_like_recovery_code(wanted.code)) return reset_by_recovery_code(ports, request, wanted);
  return reset_by_mail(ports, request, wanted);
}

}  // namespace

void add_email_routes(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  router.add(Method::Post, "/v1/sign-up-codes", Access::Public,
             [ports](const Request& request) { return send_sign_up_code(ports, request); });
  router.add(
      Method::Post, "/v1/me/email-verification", Access::SignedIn,
      ports.hashing([ports](const Request& request) { return send_verification(ports, request); }));
  router.add(Method::Put, "/v1/me/email-verification", Access::SignedIn,
             [ports](const Request& request) { return verify(ports, request); });
  router.add(Method::Post, "/v1/password-resets", Access::Public,
             [ports](const Request& request) { return send_reset(ports, request); });
  router.add(Method::Put, "/v1/password-resets", Access::Public,
             ports.hashing([ports](const Request& request) { return reset(ports, request); }));
}

}  // namespace tideline::accounts
