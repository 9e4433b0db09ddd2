// Rate, errors and duration of HTTP requests, by route template and status, and a log line for each
// slow one. Knows nothing of the server: whoever composes the process calls it from the server's
// observer.
//
//   tideline_http_requests_total{method,route,status}
//   tideline_http_request_duration_seconds{method,route}
//   tideline_http_requests_in_flight
#pragma once

#include <chrono>
#include <string_view>

#include "observability/log.hpp"
#include "observability/metrics.hpp"

namespace tideline::observability {

struct FinishedRequest {
  std::string_view method;
  std::string_view route;  // the template ("/v1/projects/{id}"); empty when none matched
  int status = 0;
  std::chrono::nanoseconds duration{0};
};

struct RequestRecorderOptions {
  std::chrono::milliseconds slow_after{500};
};

// Thread-safe, quick enough for every request. `metrics` must outlive it.
class RequestRecorder {
 public:
  RequestRecorder(Metrics& metrics, Log log, RequestRecorderOptions options = {});

  void started() const;
  // After started(), once for each request.
  void finished(const FinishedRequest& request) const;

 private:
  Log log_;
  RequestRecorderOptions options_;
  CounterFamily requests_;
  HistogramFamily durations_;
  Gauge in_flight_;
};

}  // namespace tideline::observability
