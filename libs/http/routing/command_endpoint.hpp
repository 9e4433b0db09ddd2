// Where HTTP meets event sourcing: one place for idempotency keys, conditional requests and
// position tokens, used by every route of every service.
//
//   Idempotency-Key   1 to 255 visible ASCII characters, else 400. The same key with the same
//                     request (path, query, If-Match, body) gives the first answer again, with
//                     another 422. Keys of different accounts or routes never meet. Without it
//                     nothing is remembered: no retry could name it.
//   If-Match          the ETag of an answer: the stream must stand at its version, else 412. So is
//   a
//                     tag that no version can have (another word, a weak tag), and any tag where
//                     the answer is about no stream. A list is 400, "*" no condition.
//   ETag              "<version>" of the stream that the answer is about (entity_tag.hpp).
//   Tideline-Position the client's token, joined with what the command wrote; opaque.
//   Tideline-Stale    "true" on an answer that does not yet hold all that the token asks for.
//
// Thread-safe. Everything here blocks, for reads of the store, for the append (but not answer()),
// or for a read model to catch up.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "eventsourcing/commands/command.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "http/messages/entity_tag.hpp"
#include "http/messages/message.hpp"
#include "http/messages/problem.hpp"

namespace tideline::http {

inline constexpr std::string_view kStaleHeader = "Tideline-Stale";

// The client's token; empty without the header, 400 for garbage.
Parsed<eventsourcing::PositionVector> read_position(const Request& request);

// A business "no" as a problem: 409, 422, 404 or 403 by its kind, with the rejection's code.
Response to_response(const eventsourcing::Rejection& rejection);

class CommandEndpoint {
 public:
  using Body = eventsourcing::CommandBody;

  // All must outlive the endpoint. With `sealer` what is stored of an answer is sealed under the
  // caller's key, and a request that is repeated after its account was closed gets 409
  // "answer-erased".
  CommandEndpoint(eventsourcing::EventStore& store, const core::Clock& clock,
                  const core::CampusCalendar& campus = core::kUtcCalendar,
                  eventsourcing::TextSealer* sealer = nullptr)
      : store_(store), clock_(clock), campus_(campus), sealer_(sealer) {}

  // Runs the command and answers. `body` takes time and day from session.context(), and may run
  // several times. Done or repeated: the stored status, body, Location, ETag, positions. Else:
  // the rejection; 412; 409 "concurrent-changes" after too many conflicts; 422
  // "idempotency-key-reused"; 503 or 500 for an Error.
  Response run(const Request& request, const Body& body) const;

  // The same for a handler that has nothing to add to the answer: it comes later, and no thread
  // waits for the append. `body` has run when this returns; where somebody else was first, the
  // handler is called again.
  Response answer(const Request& request, const Body& body) const;

  // For a handler that needs the command's context before it runs.
  Parsed<eventsourcing::CommandContext> context(const Request& request) const;

 private:
  Response respond(const Request& request, const eventsourcing::CommandOutcome& outcome) const;

  eventsourcing::EventStore& store_;
  const core::Clock& clock_;
  const core::CampusCalendar& campus_;
  eventsourcing::TextSealer* sealer_;
};

// What to do when a read model has not applied the client's token within the wait.
enum class WhenBehind {
  Stale,   // answer what there is, marked Tideline-Stale: true
  Refuse,  // 503 with Retry-After: where privacy depends on it
};

using Models = std::initializer_list<std::reference_wrapper<eventsourcing::AppliedPositions>>;

// Waits until every model has applied the request's token, then answers with `query`, whose
// response carries the token on. 400 for a malformed token.
Response answer_query(const Request& request, Models models, WhenBehind when_behind,
                      const std::function<Response()>& query);

// Whether every model has applied `wanted`, now or before the request has waited as long in all as
// the server lets it. Leaves the handler where it is to wait without its worker: it is called
// again then, from its beginning.
bool await_positions(const Request& request, const eventsourcing::PositionVector& wanted,
                     Models models);

// Whether `is_met`, now or before the request has waited as long in all as the server lets it; the
// same way of waiting, for what passes by itself. It looks every 200 ms.
bool await_condition(const Request& request, const std::function<bool()>& is_met);

// For commands that decide on a read model: refuses with 400 or 503 when the models are not there.
void await_models(const Request& request, Models models);

}  // namespace tideline::http
