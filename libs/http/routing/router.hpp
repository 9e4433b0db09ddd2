// Routes: a table of path templates, matched segment by segment.
//
// Threads: add() everything first, on one thread; from then on the router is constant and
// dispatch() may be called from any number of threads. dispatch() blocks as long as the handler
// does.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "http/messages/message.hpp"
#include "http/messages/problem.hpp"
#include "http/messages/text_seal.hpp"
#include "http/routing/authentication.hpp"
#include "http/routing/signed_links.hpp"

namespace tideline::http {

using Handler = std::function<Response(const Request&)>;

// Whether a valid token was revoked before its time. Called from many threads at once, for each
// request with a token; does not wait.
using Revoked = std::function<bool(const Principal&)>;

// Until when this process may answer at all, since boot (core::time_since_boot). Called from many
// threads at once, for each answer; does not wait.
using GoodUntil = std::function<std::chrono::nanoseconds()>;

struct RouteLimits {
  // Of a request's body. 0: what the server takes of all. Larger than that, it is taken with a
  // Content-Length alone, and a caller who has to be signed in is asked for the token first.
  std::size_t body_bytes_max = 0;
};

class Router {
 public:
  // Without a verifier (null) only public routes may be added.
  Router(std::shared_ptr<TokenVerifier> verifier, const core::Clock& clock);
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  // `path_template` is "/"-separated; a segment "{name}" matches any one non-empty segment. At each
  // level a literal segment wins over a parameter, with no way back once it matched. CHECKs that
  // the template is well formed, that method and template are new, and that parameters at one place
  // have one name. HEAD and OPTIONS are answered by the router and cannot be added.
  void add(Method method, std::string_view path_template, Access access, Handler handler,
           RouteLimits limits = {});

  // Position tokens are sealed: one that names positions which do not exist yet would make every
  // query that carries it wait. Without a seal (tests of one service) they pass as they are.
  void set_position_seal(TextSeal seal);

  // Without it no link is good, and routes that take links take tokens alone. An answer to a link
  // is kept by its client for no longer than the link is good.
  void set_signed_links(std::shared_ptr<const SignedLinks> links);

  // Without it no token is revoked before it expires.
  void set_revoked(Revoked revoked);

  // Without it every answer is good. An answer that is sent later than it is good for is 503.
  void set_good_until(GoodUntil good_until);

  // Finds the route, authenticates, sets path_parameters, principal and route_template, and calls
  // the handler. HEAD runs the GET handler (the server drops the body). 404 for an unknown path,
  // 405 with Allow for a method that the path lacks, 204 with Allow for OPTIONS. What the handler
  // throws passes through. Where the handler answers later, so does this: the request must stay
  // where it is until then, and finish() of the deferred response gives what is to be sent.
  Response dispatch(Request& request) const;

  struct BodyAdmission {
    std::size_t body_bytes_max = 0;          // of its route, 0: as the server has it
    std::optional<core::AccountId> account;  // that sends it; nullopt: the route asks for none
  };
  // Before a body is read that is larger than the server takes of all: how large it may be. A route
  // with a limit of its own authenticates first, and the problem is why the caller may not go on.
  [[nodiscard]] Parsed<BodyAdmission> admit_body(Request head) const;

  struct Route {
    Method method;
    std::string path_template;
    Access access;
    RouteLimits limits{};
  };
  // What was added, in order: for the test that compares routes with the OpenAPI document.
  [[nodiscard]] const std::vector<Route>& routes() const;

 private:
  struct Node;
  struct Table;
  std::unique_ptr<Table> table_;
};

}  // namespace tideline::http
