// The edge of every command: reads the headers that all commands share, runs the command, and turns
// its outcome into a response. The query side is query_endpoint.hpp.
//
//   router.add(Method::Post, "/v1/moments", Access::SignedIn, [&](const Request& request) {
//     auto body = read_json_object(request);
//     if (!body) return body.response();
//     FieldReader fields(*body);
//     ...
//     return commands.run(request, [&](CommandSession& session) -> CommandResult { ... });
//   });
//
// Request headers:
//   Idempotency-Key    1..255 visible ASCII, else 400; absent: one is drawn, which lets the store
//                      resolve a commit of unknown outcome, but not the client repeat the request
//   If-Match           one entity tag: the stream version in quotes, else 400. One that no version
//                      can have (another word, a weak tag) is 412. "*" and lists are 400.
//   Tideline-Position  token of what the client has seen, else 400
// Response headers: ETag (version in quotes), Location, Tideline-Position (the request's token
// joined with the command's positions).
//
// Threads: run() from any thread; it blocks until the outcome is durable.
#pragma once

#include <functional>
#include <string>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "eventsourcing/command.hpp"
#include "eventsourcing/position_vector.hpp"
#include "http/message.hpp"
#include "http/problem.hpp"

namespace tideline::http {

inline constexpr std::string_view kPositionHeader = "Tideline-Position";

using CommandBody =
    std::function<eventsourcing::CommandResult(eventsourcing::CommandSession& session)>;

class CommandEndpoint {
 public:
  // All must outlive the endpoint.
  CommandEndpoint(eventsourcing::EventStore& store, const core::Clock& clock, core::Random& random);

  // Reads the headers above, runs `body` (perhaps several times, see run_command) and answers:
  //   done or repeated   the stored status, body, Location, ETag and positions
  //   Rejection          409, 422, 404 or 403 by its kind; type urn:tideline:problem:<code>
  //   If-Match failed    412
  //   conflict exhausted 409 "concurrent-changes"
  //   key reused         422 "idempotency-key-reused"
  //   Error              503 or 500, see from_error
  Response run(const Request& request, const CommandBody& body) const;

 private:
  eventsourcing::EventStore& store_;
  const core::Clock& clock_;
  core::Random& random_;
};

// What run() reads from the request's headers, for commands that are executed in another way. The
// idempotency scope is the caller's account ("" on a public route), its route is method and
// template, and its hash covers path, query, If-Match and body.
Parsed<eventsourcing::CommandContext> read_command_context(const Request& request,
                                                           core::Timestamp now,
                                                           core::Random& random);

// The request's position token, decoded; empty without the header. 400 for garbage. Its to_token()
// is what events store as `seen`.
Parsed<eventsourcing::PositionVector> read_position(const Request& request);

[[nodiscard]] Response to_response(const eventsourcing::Rejection& rejection);
// `seen`: what came with the request.
[[nodiscard]] Response to_response(const eventsourcing::CommandOutcome& outcome,
                                   const eventsourcing::PositionVector& seen);

// "\"7\"": an ETag of a stream version.
[[nodiscard]] std::string entity_tag(core::StreamVersion version);

}  // namespace tideline::http
