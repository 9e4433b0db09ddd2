#include "runtime/edge_adapters.hpp"

namespace tideline::runtime {

core::Result<http::VerifiedToken> JwtVerifier::verify(std::string_view bearer,
                                                      core::Timestamp now) {
  auto verified = verifier_.verify(bearer, now);
  if (!verified) return verified.error();
  const crypto::TokenSubject& subject = verified->subject;
  return http::VerifiedToken{
      {subject.account, subject.roles, subject.session_id, subject.password_version},
      verified->expires_at};
}

void RecordingObserver::on_request(const http::RequestRecord& record) {
  // Probes come every second and say 503 as long as the service starts or stops: no news.
  if (record.route_template == "/readyz" || record.route_template == "/livez") return;
  const std::string account =
      record.principal != nullptr && (record.status == 401 || record.status == 403)
          ? record.principal->account.to_string()
          : std::string();
  recorder_.finished({.method = record.method,
                      .route = record.route_template,
                      .status = record.status,
                      .duration = record.duration,
                      .request_bytes = record.request_bytes,
                      .response_bytes = record.response_bytes,
                      .delivered = record.delivered,
                      .request_id = record.request_id,
                      .correlation_id = record.correlation_id,
                      .traceparent = record.traceparent,
                      .failure = record.failure,
                      .account = account});
  if (spans_ != nullptr) export_span(record);
}

void RecordingObserver::on_tls_trouble(std::string_view why) {
  log_.error("changed files of TLS are not used", {{"reason", std::string(why)}});
}

void RecordingObserver::export_span(const http::RequestRecord& record) const {
  const auto context = core::TraceContext::read(record.traceparent);
  if (!context || !context->sampled()) return;
  const core::Timestamp end = clock_.now();
  observability::Span span{
      .context = *context,
      .parent_span_id = std::string(record.parent_span_id),
      .name = std::string(record.method),
      .kind = observability::SpanKind::Server,
      .start = end - std::chrono::floor<std::chrono::microseconds>(record.duration),
      .end = end,
      .failed = record.status >= 500,
      .attributes = {}};
  // Never the raw path: it names people.
  if (!record.route_template.empty()) span.name.append(" ").append(record.route_template);
  span.attributes = {{"http.request.method", std::string(record.method)},
                     {"http.route", std::string(record.route_template)},
                     {"http.response.status_code", record.status},
                     {"tideline.request_id", std::string(record.request_id)}};
  spans_->offer(std::move(span));
}

}  // namespace tideline::runtime
