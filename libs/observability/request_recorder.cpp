#include "observability/request_recorder.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace tideline::observability {
namespace {

constexpr std::array<std::string_view, 7> kMethods = {"GET",   "HEAD",   "POST",   "PUT",
                                                      "PATCH", "DELETE", "OPTIONS"};

// A client can send any word as its method; labels must not grow with it.
std::string_view method_label(std::string_view method) {
  const bool known = std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
  return known ? method : "other";
}

}  // namespace

RequestRecorder::RequestRecorder(Metrics& metrics, Log log, RequestRecorderOptions options)
    : log_(std::move(log)),
      options_(options),
      requests_(metrics.counters("tideline_http_requests_total",
                                 "Requests answered or given up, by route template",
                                 {"method", "route", "status"})),
      durations_(metrics.histograms("tideline_http_request_duration_seconds",
                                    "From the end of the request to the end of the answer",
                                    {"method", "route"})),
      undelivered_(metrics.counter("tideline_http_undelivered_total",
                                   "Answers whose client was gone or too slow")),
      connections_(metrics.gauge("tideline_http_connections_open", "Open connections")) {}

void RequestRecorder::finished(const FinishedRequest& request) const {
  const std::string_view method = method_label(request.method);
  const std::string_view route = request.route.empty() ? "none" : request.route;
  requests_.with({method, route, std::to_string(request.status)}).add();
  durations_.with({method, route}).observe(std::chrono::duration<double>(request.duration).count());
  if (!request.delivered) undelivered_.add();
  log_unusual(request);
}

void RequestRecorder::log_unusual(const FinishedRequest& request) const {
  const bool failed = request.status >= 500;
  const bool slow = request.duration >= options_.slow_after;
  if (!failed && !slow) return;
  // 503 is how a service says that it waits for another: no bug, and under overload very frequent.
  const Level level = failed && request.status != 503 ? Level::Error : Level::Warning;
  const LogContext context(std::string(request.request_id), std::string(request.correlation_id));
  log_.write(level, failed ? "request failed" : "slow request",
             {{"method", method_label(request.method)},
              {"route", request.route},
              {"status", request.status},
              {"duration_ms", std::chrono::duration<double, std::milli>(request.duration).count()},
              {"request_bytes", request.request_bytes},
              {"response_bytes", request.response_bytes},
              {"delivered", request.delivered},
              {"failure", request.failure}});
}

void RequestRecorder::connection_opened() const { connections_.add(1); }
void RequestRecorder::connection_closed() const { connections_.add(-1); }

}  // namespace tideline::observability
