// An event store that makes a span of each append: a client's, within the span of the request, or
// of the event, that caused it. The events carry on the cause's own span, whether spans are
// collected or not.
#pragma once

#include <optional>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "eventsourcing/store/forwarding_event_store.hpp"
#include "observability/span_exporter.hpp"

namespace tideline::runtime {

// Thread-safe as the store that it wraps, which must outlive it. Exporter and clock must outlive
// the store as well: what append_then() was given ends when the store says so.
class TracedEventStore final : public eventsourcing::ForwardingEventStore {
 public:
  TracedEventStore(eventsourcing::EventStore& store, observability::SpanExporter& spans,
                   const core::Clock& clock)
      : ForwardingEventStore(store), spans_(spans), clock_(clock) {}

  core::Result<eventsourcing::AppendOutcome> append(eventsourcing::Append append) override;
  void append_then(eventsourcing::Append append, eventsourcing::AppendDone done) override;

 private:
  std::optional<observability::Span> begin(const eventsourcing::Append& append);

  observability::SpanExporter& spans_;
  const core::Clock& clock_;
  core::SystemRandom random_;
};

}  // namespace tideline::runtime
