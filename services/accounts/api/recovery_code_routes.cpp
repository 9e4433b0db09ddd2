#include <optional>
#include <utility>

#include "accounts/api/account_fields.hpp"
#include "accounts/api/password_attempt.hpp"
#include "accounts/api/password_check.hpp"
#include "accounts/api/recovery_codes.hpp"
#include "accounts/api/routes.hpp"
#include "accounts/api/second_factor.hpp"
#include "accounts/api/session_issue.hpp"
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

// Shown this once. Nothing is stored with a key that holds them, so each request draws others.
Response draw_codes(const ApiPorts& ports, const Request& request) {
  const auto read = http::value_of(http::read_json_object(request));
  http::FieldReader fields(read);
  const Credentials shown{fields.text("password", kAnyPasswordLength),
                          read_optional_second_factor_code(fields)};
  fields.check();
  const core::AccountId account = request.account();
  const PasswordAttempt attempt(ports, request, account);
  attempt.check();
  PasswordCheck check(ports.hasher, shown.password);
  const auto codes = new_recovery_codes(ports.random);
  std::optional<VerifyEmail> told;
  const auto body = [&](es::CommandSession& session) -> es::CommandResult {
    const auto loaded = session.load<Account>(keys::account(account),
                                              es::EventCodec<Account>(ports.profiles.cipher()));
    if (!loaded.state.open()) return kNoSuchAccount;
    if (!core::value_of(check.matches(loaded.state))) return kWrongPassword;
    check_second_factor(ports, session, account, loaded.state, shown.code);
    session.assert_unchanged(loaded);
    stage_recovery_codes(session, account, codes);
    told = loaded.state.verified;
    return es::Answer{200, "", "", {}};
  };
  Response response = attempt.judge([&] { return ports.commands.run(without_key(request), body); });
  if (response.status != 200) return response;
  ports.emails.tell(told, EmailCodes::Notice::RecoveryCodesDrawn);
  return with_body(std::move(response), {{"recovery_codes", codes}});
}

}  // namespace

void add_recovery_code_routes(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Put, "/v1/me/recovery-codes", http::Access::SignedIn,
             ports.hashing([ports](const Request& request) { return draw_codes(ports, request); }));
}

}  // namespace tideline::accounts
