#include "observability/request_recorder.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/trace.hpp"

namespace tideline::observability {
namespace {

constexpr std::array<std::string_view, 7> kMethods = {"GET",   "HEAD",   "POST",   "PUT",
                                                      "PATCH", "DELETE", "OPTIONS"};

// A client can send any word as its method; labels must not grow with it.
std::string_view method_label(std::string_view method) {
  const bool known = std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
  return known ? method : "other";
}

LogIds ids_of(const FinishedRequest& request) {
  return {.request_id = std::string(request.request_id),
          .correlation_id = std::string(request.correlation_id),
          .trace_id = std::string(core::trace_id_of(request.traceparent))};
}

}  // namespace

// The handles of each method, route and status that has occurred, found by one look-up a request:
// the families would take a lock and build a key for each.
struct RequestRecorder::Series {
  struct Handles {
    Counter requests;
    Counter request_bytes;
    Counter response_bytes;
    Histogram duration;
  };

  explicit Series(Metrics& metrics)
      : requests(metrics.counters("tideline_http_requests_total",
                                  "Requests answered or given up, by route template",
                                  {"method", "route", "status"})),
        request_bytes(metrics.counters("tideline_http_request_bytes_total",
                                       "Bodies of requests, in bytes", {"method", "route"})),
        response_bytes(metrics.counters("tideline_http_response_bytes_total",
                                        "Bodies of answers, in bytes", {"method", "route"})),
        durations(metrics.histograms("tideline_http_request_duration_seconds",
                                     "From the end of the request to the end of the answer",
                                     {"method", "route"})) {}

  Handles of(std::string_view method, std::string_view route, int status) {
    thread_local std::string key;
    const std::string code = std::to_string(status);
    key.assign(code).append(1, ' ').append(method).append(1, ' ').append(route);
    const std::lock_guard lock(mutex);
    const auto known = handles.find(key);
    if (known != handles.end()) return known->second;
    const Handles made{requests.with({method, route, code}), request_bytes.with({method, route}),
                       response_bytes.with({method, route}), durations.with({method, route})};
    return handles.emplace(key, made).first->second;
  }

  const CounterFamily requests;
  const CounterFamily request_bytes;
  const CounterFamily response_bytes;
  const HistogramFamily durations;
  std::mutex mutex;
  std::unordered_map<std::string, Handles> handles;
};

RequestRecorder::RequestRecorder(Metrics& metrics, Log log, RequestRecorderOptions options)
    : log_(std::move(log)),
      options_(options),
      series_(std::make_shared<Series>(metrics)),
      undelivered_(metrics.counter("tideline_http_undelivered_total",
                                   "Answers whose client was gone or too slow")),
      connections_(metrics.gauge("tideline_http_connections_open", "Open connections")) {}

void RequestRecorder::finished(const FinishedRequest& request) const {
  const std::string_view method = method_label(request.method);
  const std::string_view route = request.route.empty() ? "none" : request.route;
  const Series::Handles series = series_->of(method, route, request.status);
  series.requests.add();
  series.request_bytes.add(static_cast<double>(request.request_bytes));
  series.response_bytes.add(static_cast<double>(request.response_bytes));
  series.duration.observe(std::chrono::duration<double>(request.duration).count());
  if (!request.delivered) undelivered_.add();
  const bool refused = request.status == 401 || request.status == 403;
  if (refused && !request.account.empty()) log_refused(request);
  log_unusual(request);
}

void RequestRecorder::log_refused(const FinishedRequest& request) const {
  const LogContext context(ids_of(request));
  log_.info("request refused", {{"method", method_label(request.method)},
                                {"route", request.route},
                                {"status", request.status},
                                {"account", request.account}});
}

void RequestRecorder::log_unusual(const FinishedRequest& request) const {
  const bool failed = request.status >= 500;
  const bool slow = request.duration >= options_.slow_after;
  if (!failed && !slow) return;
  // 503 is how a service says that it waits for another: no bug, and under overload very frequent.
  const Level level = failed && request.status != 503 ? Level::Error : Level::Warning;
  const LogContext context(ids_of(request));
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
