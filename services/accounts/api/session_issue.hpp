// Sessions and the tokens that go out with them. Secrets live in the answer to one request and
// nowhere else: what is stored with an idempotency key holds none (docs/adr/0010).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "accounts/api/ports.hpp"
#include "accounts/api/refresh_token.hpp"
#include "accounts/domain/account.hpp"
#include "core/result.hpp"
#include "eventsourcing/commands/command.hpp"
#include "http/messages/message.hpp"

namespace tideline::accounts {

// A session that does not exist before its events are durable. Drawn once a request, outside of the
// command's body, which may run several times.
struct DrawnSession {
  RefreshToken token;
  core::AccountId account;
  std::string client;  // what it says of itself: the User-Agent header, its first 200 bytes
};

DrawnSession draw_session(const ApiPorts& ports, const http::Request& request,
                          const core::AccountId& account);

enum class OtherSessions {
  GoOn,      // but for the first of them, where there are too many
  HaveEnded  // by what else the command does
};

// Opens it in the same append as whatever else the command does.
void stage_session(const ApiPorts& ports, eventsourcing::CommandSession& session,
                   const DrawnSession& drawn, std::uint32_t password_version,
                   OtherSessions others = OtherSessions::GoOn);

// What goes out to the client that opened the session, or refreshed it.
struct IssuedSession {
  core::AccountId account;
  RefreshToken token;
  std::uint32_t password_version;  // as in SessionFacts
  std::set<AccountRole> roles = {};
};

// Of the account's roles those that its tokens say: none where the second factor that is required
// of who has a role is not there.
std::set<AccountRole> granted_roles(const ApiPorts& ports, const Account::State& state);

// Refuses with 403 "account-suspended", which says until when and why. For who has shown the
// password, in the command that would open a session.
void refuse_suspended(const ApiPorts& ports, eventsourcing::CommandSession& session,
                      const core::AccountId& account, const Account::State& state);

// {"access_token", "refresh_token", "expires_at"}: expires_at of the access token.
core::Result<nlohmann::json> token_answer(const ApiPorts& ports, const IssuedSession& issued);
// The same as the body of `response`; 500 in its place if the token cannot be signed.
http::Response with_tokens(const ApiPorts& ports, http::Response response,
                           const IssuedSession& issued);

// Takes it off the account's list, and tells every service that its access tokens are good no more.
void stage_session_end(eventsourcing::CommandSession& session, const core::AccountId& account,
                       const std::string& session_id);

// What is stored as the answer of a command that opens a session: which one, so that a repeated
// request can tell that the session it has drawn is not the one that was opened.
std::string session_marker(const DrawnSession& drawn);

http::Response with_body(http::Response response, const nlohmann::json& body);

// As the endpoint may see a request: as that of `account`, and with no secret in what it hashes for
// the idempotency key (a fast hash of a password would undo the slow one).
http::Request without_secrets(const http::Request& request, const core::AccountId& account,
                              std::string body_to_hash);
// For commands that must not be repeated by key.
http::Request without_key(const http::Request& request);

enum class SignInDay { Record, Leave };

// What somebody signs in with.
struct Credentials {
  std::string password;
  std::string code{};  // of an authenticator app; "" = none
};

// Checks them and opens a session: 201 with tokens, 401 for a wrong password, 403 for the code.
http::Response open_session(const ApiPorts& ports, const http::Request& request,
                            const core::AccountId& account, const Credentials& shown,
                            SignInDay day);

}  // namespace tideline::accounts
