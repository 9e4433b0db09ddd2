// A projection that makes a span of each event that it applies: a consumer's, within the span of
// the request that caused the event. It ends when queries can see the effect: with the commit, or
// at once where the model lives in memory.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "eventsourcing/projections/projection.hpp"
#include "observability/span_exporter.hpp"

namespace tideline::runtime {

// Exporter and clock must outlive it.
class TracedProjection final : public eventsourcing::Projection {
 public:
  // Older events make no spans: a model that catches up with years of them would tell of nothing
  // else, and of requests that are long over.
  static constexpr std::chrono::minutes kAgeMax{10};

  TracedProjection(std::unique_ptr<eventsourcing::Projection> projection,
                   observability::SpanExporter& spans, const core::Clock& clock)
      : projection_(std::move(projection)), spans_(spans), clock_(clock) {}

  std::string_view name() const override { return projection_->name(); }
  std::vector<std::string> sources() const override { return projection_->sources(); }
  eventsourcing::FlushPolicy flush_policy() const override { return projection_->flush_policy(); }
  std::vector<std::string> tables() const override { return projection_->tables(); }
  bool durable() const override { return projection_->durable(); }
  eventsourcing::PartitionPlaces loaded_places() const override {
    return projection_->loaded_places();
  }
  bool answers_from_memory() const override { return projection_->answers_from_memory(); }
  void load(sql::Transaction& transaction) override;
  void prefetch(const eventsourcing::RecordedEvent& event) override {
    projection_->prefetch(event);
  }
  void apply(const eventsourcing::RecordedEvent& event) override;
  eventsourcing::Preparation prepare_flush() override { return projection_->prepare_flush(); }
  void flush(sql::Transaction& transaction) override { projection_->flush(transaction); }
  void flushed() override;
  void apply_deferred(sql::Transaction& transaction) override {
    projection_->apply_deferred(transaction);
  }

 private:
  std::optional<observability::Span> begin(const eventsourcing::RecordedEvent& event);
  void end(observability::Span span, core::Timestamp at);

  const std::unique_ptr<eventsourcing::Projection> projection_;
  observability::SpanExporter& spans_;
  const core::Clock& clock_;
  core::SystemRandom random_;
  std::vector<observability::Span> applied_;  // not committed yet
};

}  // namespace tideline::runtime
