#include "runtime/traced_projection.hpp"

#include <utility>

#include "kafka/topics.hpp"

namespace tideline::runtime {

using observability::Span;

// What was applied since the last commit is applied again, and then ends.
void TracedProjection::load(sql::Transaction& transaction) {
  applied_.clear();
  projection_->load(transaction);
}

void TracedProjection::apply(const eventsourcing::RecordedEvent& event) {
  auto span = begin(event);
  if (!span) return projection_->apply(event);
  try {
    projection_->apply(event);
  } catch (...) {
    span->failed = true;
    end(*std::move(span), clock_.now());
    throw;
  }
  if (!durable()) return end(*std::move(span), clock_.now());
  applied_.push_back(*std::move(span));
}

void TracedProjection::flushed() {
  projection_->flushed();
  if (applied_.empty()) return;
  const core::Timestamp now = clock_.now();
  for (Span& span : std::exchange(applied_, {})) end(std::move(span), now);
}

std::optional<Span> TracedProjection::begin(const eventsourcing::RecordedEvent& event) {
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
                      {"tideline.projection", std::string(name())}};
  return span;
}

void TracedProjection::end(Span span, core::Timestamp at) {
  span.end = at;
  spans_.offer(std::move(span));
}

}  // namespace tideline::runtime
