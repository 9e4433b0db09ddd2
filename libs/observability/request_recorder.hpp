// Rate, errors, duration and size of HTTP requests, by route template and status, and a log line
// for each slow or failed one, and for each of a known caller that was refused with 401 or 403: who
// asked, by id. Who has no account cannot fill the log.
// Knows nothing of the server: the one that composes the process calls it from the server's
// observer.
//
//   tideline_http_requests_total{method,route,status}
//   tideline_http_request_duration_seconds{method,route}
//   tideline_http_request_bytes_total{method,route}    bodies, as handlers see them
//   tideline_http_response_bytes_total{method,route}   bodies, as they are sent
//   tideline_http_undelivered_total          answers whose client was gone or too slow
//   tideline_http_connections_open
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

#include "observability/log.hpp"
#include "observability/metrics.hpp"

namespace tideline::observability {

// Refers to its texts: for the length of the call only.
struct FinishedRequest {
  std::string_view method;  // empty: malformed
  std::string_view route;   // the template ("/v1/projects/{id}"); empty: none matched
  int status = 0;
  std::chrono::nanoseconds duration{0};
  std::size_t request_bytes = 0;
  std::size_t response_bytes = 0;
  bool delivered = true;
  std::string_view request_id;
  std::string_view correlation_id;
  std::string_view traceparent;
  std::string_view failure;  // of a handler, for the log
  std::string_view account;  // id of the caller; empty: not signed in
};

struct RequestRecorderOptions {
  std::chrono::milliseconds slow_after{500};
};

// Thread-safe, quick enough for every request, throws nothing. `metrics` must outlive it.
class RequestRecorder {
 public:
  RequestRecorder(Metrics& metrics, Log log, RequestRecorderOptions options = {});

  void finished(const FinishedRequest& request) const;
  void connection_opened() const;
  void connection_closed() const;

 private:
  struct Series;

  void log_unusual(const FinishedRequest& request) const;
  void log_refused(const FinishedRequest& request) const;

  Log log_;
  RequestRecorderOptions options_;
  std::shared_ptr<Series> series_;
  Counter undelivered_;
  Gauge connections_;
};

}  // namespace tideline::observability
