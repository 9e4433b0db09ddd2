#include "http/query_endpoint.hpp"

#include <algorithm>

namespace tideline::http {

bool ProjectionWaiter::wait_for(const eventsourcing::PositionVector& wanted,
                                std::chrono::milliseconds timeout) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + timeout;
  for (eventsourcing::AppliedPositions* projection : projections_) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (!projection->wait_for(wanted, std::max(left, std::chrono::milliseconds{0}))) return false;
  }
  return true;
}

Parsed<bool> await_position(const Request& request, PositionWaiter& waiter, WhenBehind when_behind,
                            std::chrono::milliseconds timeout) {
  const auto wanted = read_position(request);
  if (!wanted) return wanted.problem();
  if (wanted->empty() || waiter.wait_for(*wanted, timeout)) return true;
  if (when_behind == WhenBehind::Refuse) {
    return unavailable("what you have just written is not visible here yet, try again");
  }
  return false;
}

Response answer_query(const Request& request, PositionWaiter& waiter, WhenBehind when_behind,
                      const std::function<Response()>& query, std::chrono::milliseconds timeout) {
  const auto fresh = await_position(request, waiter, when_behind, timeout);
  if (!fresh) return fresh.response();
  Response response = query();
  if (!*fresh) response.headers.set(kStaleHeader, "true");
  if (const auto token = request.header(kPositionHeader)) {
    response.headers.set(kPositionHeader, *token);
  }
  return response;
}

}  // namespace tideline::http
