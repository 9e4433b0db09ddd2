#include "accounts/api/password_attempt.hpp"

#include <utility>

#include "http/messages/problem.hpp"

namespace tideline::accounts {

std::string source_of(const http::Request& request) {
  const std::string_view addresses = request.header("X-Forwarded-For").value_or("direct");
  const auto comma = addresses.rfind(',');
  std::string_view last = comma == std::string_view::npos ? addresses : addresses.substr(comma + 1);
  while (last.starts_with(' ')) last.remove_prefix(1);
  return std::string(last.substr(0, 64));
}

PasswordAttempt::PasswordAttempt(const ApiPorts& ports, const http::Request& request,
                                 const core::AccountId& account)
    : ports_(ports),
      request_id_(request.request_id),
      account_(account.to_string()),
      // Who has a token is no stranger, wherever he is.
      source_(request.principal ? "signed-in " + account_ : source_of(request)),
      wait_(ports.attempts.begin(account_, source_, ports.clock.now(),
                                 request.principal ? AttemptLimiter::Caller::SignedIn
                                                   : AttemptLimiter::Caller::Stranger)) {}

void PasswordAttempt::check() const {
  if (!wait_) return;
  report("limited");
  http::refuse(http::too_many_requests(*wait_));
}

http::Response PasswordAttempt::judge(const std::function<http::Response()>& handler) const {
  http::Response response = http::answer_of(handler);
  if (response.status == 401 || response.status == 403) {
    report("refused");
    return response;
  }
  ports_.attempts.forgive(account_, source_);
  if (response.status < 300) ports_.attempts.trust(account_, source_);
  report(response.status == 503 ? "busy" : response.status < 300 ? "ok" : "failed");
  return response;
}

void PasswordAttempt::report(std::string_view outcome) const {
  if (ports_.on_attempt) ports_.on_attempt({outcome, account_, source_, request_id_});
}

}  // namespace tideline::accounts
