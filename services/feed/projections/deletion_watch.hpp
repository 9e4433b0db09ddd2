// Hands events on to the engine, and tells of what they take away for good, once the engine shows
// it no more: whoever remembers a text of it lets it go.
//
// On the runner's thread. The engine must outlive it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/projection.hpp"

namespace tideline::feed {

class DeletionWatch final : public eventsourcing::Projection {
 public:
  struct Listener {
    std::function<void(core::MomentId)> deleted;
    std::function<void(const core::AccountId&)> closed;
  };

  DeletionWatch(eventsourcing::Projection& engine, Listener listener)
      : engine_(engine), listener_(std::move(listener)) {}

  std::string_view name() const override { return engine_.name(); }
  std::vector<std::string> sources() const override { return engine_.sources(); }
  eventsourcing::FlushPolicy flush_policy() const override { return engine_.flush_policy(); }
  std::vector<std::string> tables() const override { return engine_.tables(); }
  bool durable() const override { return engine_.durable(); }
  bool answers_from_memory() const override { return engine_.answers_from_memory(); }
  void load(eventsourcing::Transaction& transaction) override { engine_.load(transaction); }
  eventsourcing::PartitionPlaces loaded_places() const override { return engine_.loaded_places(); }
  void apply(const eventsourcing::RecordedEvent& event) override;
  eventsourcing::Preparation prepare_flush() override { return engine_.prepare_flush(); }
  void flush(eventsourcing::Transaction& transaction) override { engine_.flush(transaction); }
  void flushed() override { engine_.flushed(); }

 private:
  eventsourcing::Projection& engine_;
  const Listener listener_;
};

}  // namespace tideline::feed
