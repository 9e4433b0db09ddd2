// What the routes have in common that depend on who may see what: an answer of some time ago would
// be a wrong one, so it is 503 instead.
//
// Thread-safe. Everything here blocks for the database. For read models to catch up the request
// waits without its worker, as long in all as the server lets it.
#pragma once

#include <functional>

#include "eventsourcing/commands/command.hpp"
#include "feed/api/ports.hpp"
#include "http/messages/problem.hpp"
#include "http/routing/command_endpoint.hpp"

namespace tideline::feed {

// Answers with `query` when the engine and `tables` (the engine again where there are none) have
// applied the request's token and the engine is of these seconds, also when the answer goes out;
// else 503, or 400 for a malformed token.
http::Response answer_private(const ApiPorts& ports, const http::Request& request,
                              eventsourcing::AppliedPositions& tables,
                              const std::function<http::Response()>& query);

// For commands that decide on what their caller may see: refuses with the same 503 or 400.
void require_fresh(const ApiPorts& ports, const http::Request& request);

// Whether to tell him that the moment exists: he may see it, as far as that is known.
bool may_know_of(const ApiPorts& ports, core::MomentId id, const core::AccountId& viewer);

// Runs a step of a command. Where it is rejected as forbidden, and the caller may not know that the
// thing exists, it is rejected with `none` instead.
void forbidden_as_not_found(const std::function<void()>& step,
                            const std::function<bool()>& may_know,
                            const eventsourcing::Rejection& none);

// Reads the rows of what the engine has let out, each statement alone. Where the tables have not
// got all of them yet the request waits for them, without its worker; retryable when they are still
// missing.
template <class Read, class IsComplete>
auto read_up_to_engine(const ApiPorts& ports, const http::Request& request,
                       eventsourcing::AppliedPositions& tables, const Read& read,
                       const IsComplete& is_complete)
    -> decltype(ports.database.read_each_alone(read)) {
  auto found = ports.database.read_each_alone(read);
  if (!found || is_complete(*found)) return found;
  if (http::await_positions(request, ports.engine_applied.current(), {tables})) {
    found = ports.database.read_each_alone(read);
  }
  if (found && !is_complete(*found)) {
    return core::unavailable("the tables are behind the engine");
  }
  return found;
}

}  // namespace tideline::feed
