// Makes a span of each append: a client's, within the span of the request, or of the event, that
// caused it. The events carry on the cause's own span, whether spans are collected or not.
#pragma once

#include "core/clock.hpp"
#include "core/random.hpp"
#include "eventsourcing/store/event_store.hpp"
#include "observability/span_exporter.hpp"

namespace tideline::runtime {

// Exporter and clock must outlive the store that is observed: an append may end when the store
// does.
class AppendSpans final : public eventsourcing::AppendObserver {
 public:
  AppendSpans(observability::SpanExporter& spans, const core::Clock& clock)
      : spans_(spans), clock_(clock) {}

  Finished begin(const eventsourcing::Append& append) override;

 private:
  observability::SpanExporter& spans_;
  const core::Clock& clock_;
  core::SystemRandom random_;
};

}  // namespace tideline::runtime
