// The rules' stream in scoring's own event store.
#pragma once

#include <vector>

#include "core/clock.hpp"
#include "eventsourcing/store/event_store.hpp"
#include "scoring/projections/engine/rule_keeper.hpp"

namespace tideline::scoring {

class StoredRules final : public RuleKeeper {
 public:
  // Both outlive it.
  StoredRules(eventsourcing::EventStore& store, const core::Clock& clock)
      : store_(store), clock_(clock) {}

  core::Result<RuleChanges::State> read() override;
  core::Result<RuleChanges::State> settle(const std::vector<CountedDay>& days) override;

 private:
  eventsourcing::EventStore& store_;
  const core::Clock& clock_;
};

}  // namespace tideline::scoring
