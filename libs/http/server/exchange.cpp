#include "http/server/exchange.hpp"

#include <utility>

namespace tideline::http {

void Exchange::drop_body() {
  request_bytes += request.body.size();
  std::string().swap(request.body);
  body_permit.give_back();
}

RequestRecord Exchange::record(bool delivered) const {
  RequestRecord record;
  record.route_template = request.route_template;
  if (!malformed) record.method = name_of(request.method);
  record.status = status;
  record.duration = std::chrono::steady_clock::now() - began;
  record.request_bytes = request_bytes;
  record.response_bytes = response_bytes;
  record.delivered = delivered;
  record.request_id = request.request_id;
  record.correlation_id = request.correlation_id;
  record.traceparent = request.traceparent;
  record.parent_span_id = parent_span_id;
  record.principal = request.principal ? &*request.principal : nullptr;
  record.failure = failure;
  return record;
}

}  // namespace tideline::http
