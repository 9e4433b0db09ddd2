#include <optional>
#include <utility>

#include "accounts/api/account_fields.hpp"
#include "accounts/api/account_view.hpp"
#include "accounts/api/address_claim.hpp"
#include "accounts/api/password_attempt.hpp"
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
using nlohmann::json;

constexpr std::uint32_t kFirstPassword = 1;

struct Registration {
  core::AccountId account;
  Profile profile;
  std::string password;
  std::string code;  // "" = none

  // What a retry under the same idempotency key must repeat: everything but the password.
  std::string fingerprint() const {
    return json{{"user_id", profile.user_id},
                {"real_name", profile.real_name},
                {"email", profile.email},
                {"sex", static_cast<unsigned>(profile.sex)},
                {"department", profile.department}}
        .dump();
  }
};

struct Registered {
  core::Timestamp at;
  bool email_verified = false;
};

Registration read_registration(const ApiPorts& ports, const Request& request) {
  auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  Registration wanted;
  wanted.profile = read_new_profile(fields);
  const Profile& who = wanted.profile;
  wanted.password = read_new_password(
      fields, "password",
      {who.user_id, who.real_name, std::string_view(who.email).substr(0, who.email.find('@'))});
  wanted.code = fields.optional_text("sign_up_code", kCodeLength).value_or("");
  fields.check();
  wanted.account = ports.account_ids.of(wanted.profile.user_id);
  return wanted;
}

// The same request again: the account is there, but the session that came with it was told to
// somebody once and to nobody again. Anyone who knows the password gets another one.
Response answer_again(const ApiPorts& ports, const Request& request, Response done,
                      const Registration& wanted) {
  const PasswordAttempt attempt(ports, request, wanted.account);
  attempt.check();
  const Response opened = attempt.judge([&] {
    return open_session(ports, request, wanted.account, {wanted.password}, SignInDay::Leave);
  });
  if (opened.status != 201) return opened;
  Response response = with_own_profile(ports, std::move(done), wanted.account);
  if (response.status != 201) return response;
  json body = json::parse(response.body);
  body["session"] = json::parse(opened.body);
  return with_body(std::move(response), body);
}

// Who registers without a code has none to show; who has one shows the address that it went to.
// Throws Rejected.
std::optional<VerifyEmail> check_code(const ApiPorts& ports, es::CommandSession& session,
                                      const Registration& wanted) {
  const auto enrolment =
      session.load_last<Enrolment>(keys::enrolment(wanted.account), es::EventCodec<Enrolment>{});
  if (wanted.code.empty()) {
    if (ports.sign_up.closed || enrolment.state.address) throw es::Rejected(kCodeWanted);
    return std::nullopt;
  }
  const core::AccountId address = address_of(ports.account_ids, wanted.profile.email);
  if (ports.emails.is_sign_up(wanted.code, wanted.account, address)) {
    return VerifyEmail{address, wanted.profile.email};
  }
  if (!ports.emails.is_invitation(wanted.code, wanted.account)) throw es::Rejected(kCodeRefused);
  return std::nullopt;
}

Response run_registration(const ApiPorts& ports, const Request& request, const Registration& wanted,
                          const DrawnSession& drawn, Registered& registered) {
  const eventsourcing::EventCodec<Account> codec(ports.profiles.cipher());
  const core::StreamId stream = keys::account(wanted.account);
  std::optional<std::string> hash;
  const auto body = [&](es::CommandSession& session) -> es::CommandResult {
    registered.at = session.context().now;
    const auto loaded = session.load<Account>(stream, codec);
    const auto verified = check_code(ports, session, wanted);
    registered.email_verified = verified.has_value();
    // A name that is taken is not worth a hash.
    if (!loaded.state.registered && !hash) {
      auto made = core::value_of(ports.hasher.hash(wanted.password));
      hash = std::move(made);
    }
    es::change<Account>(session, loaded, codec,
                        RegisterAccount{wanted.account, wanted.profile, hash.value_or(""),
                                        registered.at, verified});
    if (verified) move_claim(session, wanted.account, std::nullopt, verified->address);
    stage_session(ports, session, drawn, kFirstPassword);
    return es::Answer{201, session_marker(drawn), "/v1/profiles/" + wanted.profile.user_id, stream};
  };
  return ports.commands.run(without_secrets(request, wanted.account, wanted.fingerprint()), body);
}

Response register_account(const ApiPorts& ports, const Request& request) {
  const auto wanted = read_registration(ports, request);
  const std::string source = source_of(request);
  if (const auto wait = ports.attempts.begin_registration(source, ports.clock.now())) {
    return to_response(http::too_many_requests(*wait));
  }
  const DrawnSession drawn = draw_session(ports, request, wanted.account);
  Registered registered;
  Response response = run_registration(ports, request, wanted, drawn, registered);
  // New accounts count, and names that were found taken: anyone who asks for many wants to know who
  // is here. A repeated request and a failure of ours do not.
  const bool is_new = response.status == 201 && response.body == session_marker(drawn);
  if (!is_new && response.status != 409) ports.attempts.forgive_registration(source);
  if (response.status != 201) return response;
  if (!is_new) return answer_again(ports, request, std::move(response), wanted);
  const auto tokens =
      core::value_of(token_answer(ports, {wanted.account, drawn.token, kFirstPassword}));
  json body = own_profile(wanted.profile, {registered.at, registered.email_verified});
  body["session"] = tokens;
  return with_body(std::move(response), body);
}

}  // namespace

void add_registration_routes(http::Router& router, const ApiPorts& ports) {
  router.add(
      http::Method::Post, "/v1/accounts", http::Access::Public,
      ports.hashing([ports](const Request& request) { return register_account(ports, request); }));
}

}  // namespace tideline::accounts
