#include "runtime/edge_adapters.hpp"

namespace tideline::runtime {

core::Result<http::VerifiedToken> JwtVerifier::verify(std::string_view bearer,
                                                      core::Timestamp now) {
  auto verified = verifier_.verify(bearer, now);
  if (!verified) return verified.error();
  return http::VerifiedToken{{verified->account, verified->roles}, verified->expires_at};
}

void RecordingObserver::on_request(const http::RequestRecord& record) {
  // Probes come every second and say 503 as long as the service starts or stops: no news.
  if (record.route_template == "/readyz" || record.route_template == "/livez") return;
  recorder_.finished({.method = record.method,
                      .route = record.route_template,
                      .status = record.status,
                      .duration = record.duration,
                      .request_bytes = record.request_bytes,
                      .response_bytes = record.response_bytes,
                      .delivered = record.delivered,
                      .request_id = record.request_id,
                      .correlation_id = record.correlation_id,
                      .failure = record.failure});
}

}  // namespace tideline::runtime
