// Spans to a collector: OTLP over HTTP, as JSON, in batches.
//
// offer() is called for whatever is sampled and never waits for the collector: a thread of the
// exporter's own sends what is queued. What the queue cannot take, and what the collector does not
// take within `timeout`, is dropped and counted:
//
//   tideline_trace_spans_exported_total
//   tideline_trace_spans_dropped_total{reason}    "queue-full" or "collector"
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "core/trace.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"

namespace tideline::observability {

// On which side of what it tells of a span was made; the numbers are OTLP's.
enum class SpanKind { Server = 2, Client = 3, Consumer = 5 };

// What was done for one request, append or event.
struct Span {
  core::TraceContext context;
  std::string parent_span_id;  // "" = the first of its trace
  std::string name;            // takes few values
  SpanKind kind = SpanKind::Server;
  core::Timestamp start;
  core::Timestamp end;
  bool failed = false;
  std::vector<std::pair<std::string, std::variant<std::string, std::int64_t>>> attributes;
};

// A span within the one that `trace`, a text of core/trace.hpp, tells of, from now on; nullopt when
// nobody wants it: there is no trace, or it is not sampled.
std::optional<Span> begin_span(std::string_view trace, SpanKind kind, std::string_view name,
                               const core::Clock& clock, core::Random& random);

struct SpanExporterOptions {
  std::string endpoint;  // URL with its path: "http://collector:4318/v1/traces"
  std::string service;   // the resource's service.name
  std::size_t queued_max = 4096;
  std::size_t batch_max = 512;  // spans a request; as many are sent without waiting for more
  std::chrono::milliseconds interval{1000};  // how long fewer wait for more
  std::chrono::milliseconds timeout{2000};   // for the collector to take a batch
};

// Thread-safe. `metrics` must outlive it.
class SpanExporter {
 public:
  SpanExporter(SpanExporterOptions options, Metrics& metrics, Log log);
  // Sends what is queued, as long as the collector takes it: blocks for one `timeout` at most after
  // it has stopped answering.
  ~SpanExporter();
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;

  // Blocks for a short lock alone.
  void offer(Span span);

 private:
  class Collector;

  void run(const std::stop_token& stop);
  std::deque<Span> take_batch(const std::stop_token& stop);
  bool send(const std::deque<Span>& batch);

  const SpanExporterOptions options_;
  const Log log_;
  const Counter exported_;
  const Counter dropped_by_queue_;
  const Counter dropped_by_collector_;
  std::unique_ptr<Collector> collector_;
  bool answering_ = true;  // as of the last batch

  std::mutex mutex_;
  std::condition_variable_any wanted_;
  std::deque<Span> queue_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace tideline::observability
