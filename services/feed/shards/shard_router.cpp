#include "feed/shards/shard_router.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/clock.hpp"
#include "core/trace.hpp"
#include "http/messages/problem.hpp"
#include "http/routing/deferred_response.hpp"

namespace tideline::feed {
namespace {

using http::Request;
using http::Response;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using enum ShardPlace::Kind;

Response not_here() {
  return to_response(http::unavailable("the timeline is at no instance now, try again"));
}

http::OutgoingRequest passed_on(const Request& request, const ShardPlace& place) {
  http::OutgoingRequest outgoing{place.address, request.path, request.query_parameters, {}};
  outgoing.headers.set(kPassedOnHeader, "1");
  outgoing.headers.set("X-Request-Id", request.request_id);
  outgoing.headers.set("X-Correlation-Id", request.correlation_id);
  if (const auto token = request.header("Authorization")) {
    outgoing.headers.set("Authorization", *token);
  }
  if (!request.sealed_position.empty()) {
    outgoing.headers.set(http::kPositionHeader, request.sealed_position);
  }
  const auto trace = core::TraceHeaders::split(request.traceparent);
  if (!trace.traceparent.empty()) outgoing.headers.set("traceparent", trace.traceparent);
  if (!trace.tracestate.empty()) outgoing.headers.set("tracestate", trace.tracestate);
  return outgoing;
}

// So that who passed it on knows it too. Whole milliseconds that are left; 0: none.
Response dated(Response response) {
  if (!response.good_until) return response;
  const auto left =
      std::chrono::floor<milliseconds>(*response.good_until - core::time_since_boot());
  response.header(kGoodForHeader, std::to_string(std::max(left, milliseconds(0)).count()));
  return response;
}

// It was made after it was asked for, so that it is good for that long at least.
nanoseconds good_until(nanoseconds asked_at, const Response& answered) {
  const auto text = answered.headers.find(kGoodForHeader).value_or("");
  milliseconds::rep good_for = 0;
  std::from_chars(text.data(), text.data() + text.size(), good_for);
  return asked_at + milliseconds(good_for);
}

// It had given the shard up before the request came.
bool is_elsewhere(const Response& answered) {
  return answered.status == 503 && answered.headers.find(kServerHeader) &&
         answered.headers.find(kInstanceHeader) != answered.headers.find(kServerHeader);
}

// What is of the connection, of the sealing and of the form this edge sees to itself.
Response brought_back(Response answered, nanoseconds asked_at,
                      const std::optional<std::string>& position) {
  Response response;
  if (answered.status == 200) response.good_until = good_until(asked_at, answered);
  response.status = answered.status;
  response.body = std::move(answered.body);
  for (const std::string_view name :
       {std::string_view("Content-Type"), std::string_view("Cache-Control"),
        std::string_view("Retry-After")}) {
    if (const auto value = answered.headers.find(name)) response.header(name, *value);
  }
  // It carries on what the request carried.
  if (position && answered.headers.find(http::kPositionHeader)) {
    response.header(http::kPositionHeader, *position);
  }
  return response;
}

}  // namespace

Response ShardRouter::marked(Response response, const std::string& owner) const {
  if (!owner.empty()) response.header(kInstanceHeader, owner);
  response.header(kServerHeader, ports_.instance);
  return response;
}

bool ShardRouter::is_here(const core::AccountId& viewer) const {
  return ports_.find(shard_of(viewer)).kind == Here;
}

Response ShardRouter::answer(const Request& request, const std::function<Response()>& here) const {
  const ShardPlace place = ports_.find(shard_of(request.account()));
  if (place.kind == Here) return answer_here(request, here);
  if (request.header(kPassedOnHeader)) return marked(not_here(), place.instance);
  return place.kind == Elsewhere ? pass_on(request, place) : wait_for_place(request);
}

Response ShardRouter::answer_here_alone(const Request& request,
                                        const std::function<Response()>& here) const {
  const ShardPlace place = ports_.find(shard_of(request.account()));
  return place.kind == Here ? answer_here(request, here) : marked(not_here(), place.instance);
}

Response ShardRouter::answer_here(const Request& request,
                                  const std::function<Response()>& here) const {
  Response response = here();
  if (request.header(kPassedOnHeader)) response = dated(std::move(response));
  const ShardPlace place = ports_.find(shard_of(request.account()));
  return marked(place.kind == Here ? std::move(response) : not_here(), place.instance);
}

Response ShardRouter::pass_on(const Request& request, const ShardPlace& place) const {
  auto late = std::make_shared<http::DeferredResponse>();
  std::optional<std::string> position;
  if (const auto sent = request.header(http::kPositionHeader)) position = std::string(*sent);
  const bool may_wait = request.attempt < kLooksMax;
  ports_.ask(passed_on(request, place), [this, late, position, may_wait,
                                         asked_at = core::time_since_boot()](auto answered) {
    // Nobody is there, or it is leaving: its shards come to others soon.
    const bool is_gone =
        answered ? is_elsewhere(*answered) : answered.error().code == core::ErrorCode::Unavailable;
    if (is_gone && may_wait) return ports_.after_next_look([late] { late->retry(); });
    if (!answered) return late->give(not_here());
    const std::string owner(answered->headers.find(kInstanceHeader).value_or(""));
    late->give(marked(brought_back(std::move(*answered), asked_at, position), owner));
  });
  return Response::defer(std::move(late));
}

Response ShardRouter::wait_for_place(const Request& request) const {
  if (request.attempt >= kLooksMax) return not_here();
  auto late = std::make_shared<http::DeferredResponse>();
  ports_.after_next_look([late] { late->retry(); });
  return Response::defer(std::move(late));
}

}  // namespace tideline::feed
