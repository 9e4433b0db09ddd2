// An event store that tells the log what was appended: one line a command, with the ids by which a
// request can be followed from the gateway to its events. Never what the events hold.
#pragma once

#include "eventsourcing/store/forwarding_event_store.hpp"
#include "observability/log.hpp"

namespace tideline::runtime {

// Thread-safe as the store that it wraps, which must outlive it.
class LoggedEventStore final : public eventsourcing::ForwardingEventStore {
 public:
  LoggedEventStore(eventsourcing::EventStore& store, observability::Log log)
      : ForwardingEventStore(store), log_(std::move(log)) {}

  core::Result<eventsourcing::AppendOutcome> append(eventsourcing::Append append) override;
  void append_then(eventsourcing::Append append, eventsourcing::AppendDone done) override;

 private:
  observability::Log log_;
};

}  // namespace tideline::runtime
