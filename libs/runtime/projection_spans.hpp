// Makes a span of each event that a projection applies: a consumer's, within the span of the
// request that caused the event. It ends when queries can see the effect: with the commit, or at
// once where the model lives in memory.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "eventsourcing/projections/projection.hpp"
#include "eventsourcing/projections/projection_observer.hpp"
#include "observability/span_exporter.hpp"

namespace tideline::runtime {

class ProjectionSpans final : public eventsourcing::ProjectionObserver {
 public:
  // Older events make no spans: a model that catches up with years of them would tell of nothing
  // else, and of requests that are long over.
  static constexpr std::chrono::minutes kAgeMax{10};

  // Exporter and clock must outlive it.
  ProjectionSpans(const eventsourcing::Projection& projection, observability::SpanExporter& spans,
                  const core::Clock& clock)
      : name_(projection.name()), durable_(projection.durable()), spans_(spans), clock_(clock) {}

  void loading(sql::Transaction&) override { uncommitted_.clear(); }
  void applying(const eventsourcing::RecordedEvent& event) override { current_ = begin(event); }
  void applied(const eventsourcing::RecordedEvent& event, bool failed) override;
  void committed() override;

 private:
  std::optional<observability::Span> begin(const eventsourcing::RecordedEvent& event);
  void end(observability::Span span, core::Timestamp at);

  const std::string name_;
  const bool durable_;
  observability::SpanExporter& spans_;
  const core::Clock& clock_;
  core::SystemRandom random_;
  std::optional<observability::Span> current_;  // of the event that is being applied
  std::vector<observability::Span> uncommitted_;
};

}  // namespace tideline::runtime
