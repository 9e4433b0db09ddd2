#include "runtime/projection_spans.hpp"

#include <utility>

#include "kafka/topics.hpp"

namespace tideline::runtime {

using observability::Span;

void ProjectionSpans::applied(const eventsourcing::RecordedEvent&, bool failed) {
  if (!current_) return;
  Span span = *std::exchange(current_, std::nullopt);
  span.failed = failed;
  if (failed || !durable_) return end(std::move(span), clock_.now());
  uncommitted_.push_back(std::move(span));
}

void ProjectionSpans::committed() {
  if (uncommitted_.empty()) return;
  const core::Timestamp now = clock_.now();
  for (Span& span : std::exchange(uncommitted_, {})) end(std::move(span), now);
}

std::optional<Span> ProjectionSpans::begin(const eventsourcing::RecordedEvent& event) {
  if (event.metadata.traceparent.empty() || clock_.now() - event.time > kAgeMax)
    return std::nullopt;
  auto span = observability::begin_span(
      event.metadata.traceparent, observability::SpanKind::Consumer, "apply", clock_, random_);
  if (!span) return span;
  span->name.append(" ").append(event.type);
  span->attributes = {{"messaging.system", "kafka"},
                      {"messaging.operation.type", "process"},
                      {"messaging.destination.name", kafka::events_topic(event.source)},
                      {"messaging.destination.partition.id", std::to_string(event.log.value())},
                      {"tideline.position", static_cast<std::int64_t>(event.position.value())},
                      {"tideline.projection", name_}};
  return span;
}

void ProjectionSpans::end(Span span, core::Timestamp at) {
  span.end = at;
  spans_.offer(std::move(span));
}

}  // namespace tideline::runtime
