// One attempt with a password, from the limiter's first look to its verdict.
//
//   PasswordAttempt attempt(ports, request, account);
//   attempt.check();
//   return attempt.judge([&] { return open_session(...); });
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "accounts/api/ports.hpp"
#include "http/messages/message.hpp"

namespace tideline::accounts {

// The gateway alone says where a request came from: it drops what clients say and puts one address.
// Without a gateway all requests count as from one source.
std::string source_of(const http::Request& request);

class PasswordAttempt {
 public:
  PasswordAttempt(const ApiPorts& ports, const http::Request& request,
                  const core::AccountId& account);

  // Refuses with 429 and Retry-After when there were too many.
  void check() const;
  // Passes the answer on. 401 and 403 count as a wrong password, all else gives the attempt back.
  http::Response judge(const std::function<http::Response()>& handler) const;

 private:
  void report(std::string_view outcome) const;

  const ApiPorts& ports_;
  std::string request_id_;
  std::string account_;
  std::string source_;
  std::optional<std::chrono::seconds> wait_;
};

}  // namespace tideline::accounts
