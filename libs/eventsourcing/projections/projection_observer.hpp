// Sees what a runner has a projection do: for spans, and for a copy of its tables.
#pragma once

#include "eventsourcing/events/event.hpp"
#include "sql/transaction.hpp"

namespace tideline::eventsourcing {

// Called by the projection's runner thread, and must not throw where nothing else is said.
class ProjectionObserver {
 public:
  virtual ~ProjectionObserver() = default;

  // Before load(), whose transaction it may prepare; throws TransactionFailed. What was applied
  // since the last commit will be applied again.
  virtual void loading(sql::Transaction&) {}
  virtual void applying(const RecordedEvent&) {}
  // `failed`: apply() has thrown.
  virtual void applied(const RecordedEvent&, bool /*failed*/) {}
  // Before flush(), whose transaction it may prepare; throws TransactionFailed.
  virtual void flushing(sql::Transaction&) {}
  virtual void committed() {}
};

}  // namespace tideline::eventsourcing
