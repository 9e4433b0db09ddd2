#include "feed/api/timelines/private_reads.hpp"

namespace tideline::feed {
namespace {

http::Problem catching_up() { return http::unavailable("the feed is catching up, try again"); }

// It loses touch for moments, where a machine has too much to do.
void await_freshness(const ApiPorts& ports, const http::Request& request) {
  const auto is_fresh = [&] { return ports.freshness.is_fresh(); };
  if (!http::await_condition(request, is_fresh)) http::refuse(catching_up());
}

}  // namespace

http::Response answer_private(const ApiPorts& ports, const http::Request& request,
                              eventsourcing::AppliedPositions& tables,
                              const std::function<http::Response()>& query) {
  return http::answer_query(request, {ports.engine_applied, tables}, http::WhenBehind::Refuse, [&] {
    await_freshness(ports, request);
    const auto fresh_until = ports.freshness.fresh_until();
    if (!fresh_until) return to_response(catching_up());
    http::Response response = http::answer_of(query);
    // The engine may have begun anew in between.
    if (!ports.freshness.is_fresh()) return to_response(catching_up());
    response.good_until = fresh_until;
    return response;
  });
}

void require_fresh(const ApiPorts& ports, const http::Request& request) {
  http::await_models(request, {ports.engine_applied});
  await_freshness(ports, request);
}

bool may_know_of(const ApiPorts& ports, core::MomentId id, const core::AccountId& viewer) {
  return ports.freshness.is_fresh() && ports.reader.find_author(id, viewer);
}

void forbidden_as_not_found(const std::function<void()>& step,
                            const std::function<bool()>& may_know,
                            const eventsourcing::Rejection& none) {
  try {
    step();
  } catch (const eventsourcing::Rejected& rejected) {
    const bool forbidden = rejected.rejection().kind == eventsourcing::RejectionKind::Forbidden;
    if (forbidden && !may_know()) throw eventsourcing::Rejected(none);
    throw;
  }
}

}  // namespace tideline::feed
