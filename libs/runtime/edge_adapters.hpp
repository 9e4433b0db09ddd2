// Between the HTTP library's ports and the libraries that implement them.
#pragma once

#include <memory>

#include "crypto/token.hpp"
#include "http/routing/authentication.hpp"
#include "http/server/server.hpp"
#include "observability/log.hpp"
#include "observability/request_recorder.hpp"
#include "observability/span_exporter.hpp"

namespace tideline::runtime {

// http::TokenVerifier over crypto's verifier. Thread-safe.
class JwtVerifier final : public http::TokenVerifier {
 public:
  explicit JwtVerifier(crypto::TokenVerifier verifier) : verifier_(std::move(verifier)) {}
  core::Result<http::VerifiedToken> verify(std::string_view bearer, core::Timestamp now) override;

 private:
  crypto::TokenVerifier verifier_;
};

// Requests as metrics, log lines and, where `spans` is given, spans. Thread-safe; clock and
// exporter must outlive it.
class RecordingObserver final : public http::RequestObserver {
 public:
  RecordingObserver(observability::RequestRecorder recorder, observability::Log log,
                    const core::Clock& clock, observability::SpanExporter* spans = nullptr)
      : recorder_(std::move(recorder)), log_(std::move(log)), clock_(clock), spans_(spans) {}
  void on_request(const http::RequestRecord& record) override;
  void on_connection_opened() override { recorder_.connection_opened(); }
  void on_connection_closed() override { recorder_.connection_closed(); }
  void on_tls_trouble(std::string_view why) override;

 private:
  void export_span(const http::RequestRecord& record) const;

  observability::RequestRecorder recorder_;
  observability::Log log_;
  const core::Clock& clock_;
  observability::SpanExporter* spans_;
};

}  // namespace tideline::runtime
