#include "observability/span_exporter.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/check.hpp"

namespace tideline::observability {
namespace {

using nlohmann::json;

constexpr int kStatusError = 2;

std::size_t discard(char*, std::size_t size, std::size_t count, void*) { return size * count; }

std::string unix_nanos(core::Timestamp time) {
  return std::to_string(std::chrono::nanoseconds(time.time_since_epoch()).count());
}

json attribute(const std::string& key, const std::variant<std::string, std::int64_t>& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    return {{"key", key}, {"value", {{"stringValue", *text}}}};
  }
  // OTLP's JSON has 64-bit numbers as text.
  return {{"key", key}, {"value", {{"intValue", std::to_string(std::get<std::int64_t>(value))}}}};
}

json to_json(const Span& span) {
  json attributes = json::array();
  for (const auto& [key, value] : span.attributes) attributes.push_back(attribute(key, value));
  json made = {{"traceId", span.context.trace_id()},
               {"spanId", span.context.span_id()},
               {"name", span.name},
               {"kind", static_cast<int>(span.kind)},
               {"startTimeUnixNano", unix_nanos(span.start)},
               {"endTimeUnixNano", unix_nanos(span.end)},
               {"attributes", std::move(attributes)},
               {"status", json::object()}};
  if (!span.parent_span_id.empty()) made["parentSpanId"] = span.parent_span_id;
  if (!span.context.tracestate().empty()) made["traceState"] = span.context.tracestate();
  if (span.failed) made["status"]["code"] = kStatusError;
  return made;
}

std::string to_request(const std::string& service, const std::deque<Span>& batch) {
  json spans = json::array();
  for (const Span& span : batch) spans.push_back(to_json(span));
  const json resource = {{"attributes", json::array({attribute("service.name", service)})}};
  const json scope = {{"scope", {{"name", "tideline"}}}, {"spans", std::move(spans)}};
  const json whole = {{"resourceSpans", json::array({{{"resource", resource},
                                                      {"scopeSpans", json::array({scope})}}})}};
  return whole.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::optional<Span> begin_span(std::string_view trace, SpanKind kind, std::string_view name,
                               const core::Clock& clock, core::Random& random) {
  if (trace.empty()) return std::nullopt;
  const auto parent = core::TraceContext::read(trace);
  if (!parent || !parent->sampled()) return std::nullopt;
  const core::Timestamp now = clock.now();
  return Span{.context = parent->child(random),
              .parent_span_id = parent->span_id(),
              .name = std::string(name),
              .kind = kind,
              .start = now,
              .end = now,
              .attributes = {}};
}

// One connection to the collector, kept open between batches. Of the exporter's thread alone.
class SpanExporter::Collector {
 public:
  explicit Collector(const SpanExporterOptions& options) {
    static const CURLcode kReady = curl_global_init(CURL_GLOBAL_DEFAULT);
    CHECK(kReady == CURLE_OK, "libcurl is ready");
    curl_ = curl_easy_init();
    CHECK(curl_ != nullptr, "libcurl has a handle");
    headers_ = curl_slist_append(nullptr, "Content-Type: application/json");
    curl_easy_setopt(curl_, CURLOPT_URL, options.endpoint.c_str());
    curl_easy_setopt(curl_, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers_);
    curl_easy_setopt(curl_, CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout.count()));
    curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, &discard);
  }
  ~Collector() {
    curl_easy_cleanup(curl_);
    curl_slist_free_all(headers_);
  }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // "" when the collector has taken it, else why not.
  std::string post(const std::string& body) {
    curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(curl_, CURLOPT_POSTFIELDS, body.data());
    const CURLcode sent = curl_easy_perform(curl_);
    if (sent != CURLE_OK) return curl_easy_strerror(sent);
    long status = 0;
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
    return status >= 200 && status < 300 ? "" : "it answered " + std::to_string(status);
  }

 private:
  CURL* curl_ = nullptr;
  curl_slist* headers_ = nullptr;
};

SpanExporter::SpanExporter(SpanExporterOptions options, Metrics& metrics, Log log)
    : options_(std::move(options)),
      log_(std::move(log)),
      exported_(metrics.counter("tideline_trace_spans_exported_total",
                                "Spans that the collector has taken")),
      dropped_by_queue_(metrics
                            .counters("tideline_trace_spans_dropped_total",
                                      "Spans that never reached the collector", {"reason"})
                            .with({"queue-full"})),
      dropped_by_collector_(metrics
                                .counters("tideline_trace_spans_dropped_total",
                                          "Spans that never reached the collector", {"reason"})
                                .with({"collector"})),
      collector_(std::make_unique<Collector>(options_)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {
  CHECK(options_.batch_max > 0 && options_.batch_max <= options_.queued_max, "a batch fits");
}

SpanExporter::~SpanExporter() = default;

void SpanExporter::offer(Span span) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= options_.queued_max) return dropped_by_queue_.add();
    queue_.push_back(std::move(span));
    if (queue_.size() != options_.batch_max) return;
  }
  wanted_.notify_one();
}

void SpanExporter::run(const std::stop_token& stop) {
  for (;;) {
    const std::deque<Span> batch = take_batch(stop);
    const bool taken = batch.empty() || send(batch);
    if (!stop.stop_requested()) continue;
    if (batch.empty()) return;
    if (taken) continue;
    const std::lock_guard lock(mutex_);
    return dropped_by_collector_.add(static_cast<double>(queue_.size()));
  }
}

std::deque<Span> SpanExporter::take_batch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  wanted_.wait_for(lock, stop, options_.interval,
                   [this] { return queue_.size() >= options_.batch_max; });
  const std::size_t count = std::min(queue_.size(), options_.batch_max);
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(count);
  std::deque<Span> batch(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
  queue_.erase(queue_.begin(), end);
  return batch;
}

bool SpanExporter::send(const std::deque<Span>& batch) {
  const std::string problem = collector_->post(to_request(options_.service, batch));
  const bool taken = problem.empty();
  (taken ? exported_ : dropped_by_collector_).add(static_cast<double>(batch.size()));
  if (taken != answering_) {
    // Once a change: a collector that is away is away for many batches.
    if (taken) {
      log_.info("the collector takes spans again");
    } else {
      log_.warning("the collector does not take spans", {{"reason", problem}});
    }
  }
  answering_ = taken;
  return taken;
}

}  // namespace tideline::observability
