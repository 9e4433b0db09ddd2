// Between the HTTP library's ports and the libraries that implement them.
#pragma once

#include <memory>

#include "crypto/token.hpp"
#include "http/authentication.hpp"
#include "http/server.hpp"
#include "observability/request_recorder.hpp"

namespace tideline::runtime {

// http::TokenVerifier over crypto's verifier. Thread-safe.
class JwtVerifier final : public http::TokenVerifier {
 public:
  explicit JwtVerifier(crypto::TokenVerifier verifier) : verifier_(std::move(verifier)) {}
  core::Result<http::VerifiedToken> verify(std::string_view bearer, core::Timestamp now) override;

 private:
  crypto::TokenVerifier verifier_;
};

// Requests as metrics and log lines. Thread-safe.
class RecordingObserver final : public http::RequestObserver {
 public:
  explicit RecordingObserver(observability::RequestRecorder recorder)
      : recorder_(std::move(recorder)) {}
  void on_request(const http::RequestRecord& record) override;
  void on_connection_opened() override { recorder_.connection_opened(); }
  void on_connection_closed() override { recorder_.connection_closed(); }

 private:
  observability::RequestRecorder recorder_;
};

}  // namespace tideline::runtime
