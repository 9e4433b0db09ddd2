// An event store that tells the log what was appended: one line a command, with the ids by which a
// request can be followed from the gateway to its events. Never what the events hold.
#pragma once

#include "eventsourcing/event_store.hpp"
#include "observability/log.hpp"

namespace tideline::runtime {

// Thread-safe as the store that it wraps, which must outlive it.
class LoggedEventStore final : public eventsourcing::EventStore {
 public:
  LoggedEventStore(eventsourcing::EventStore& store, observability::Log log)
      : store_(store), log_(std::move(log)) {}

  core::Result<eventsourcing::AppendOutcome> append(eventsourcing::Append append) override;

  core::Result<std::vector<eventsourcing::RecordedEvent>> read_stream(const core::StreamId& stream,
                                                                      core::StreamVersion after,
                                                                      std::size_t limit) override {
    return store_.read_stream(stream, after, limit);
  }
  core::Result<std::optional<eventsourcing::RecordedEvent>> read_last(
      const core::StreamId& stream) override {
    return store_.read_last(stream);
  }
  core::Result<std::optional<eventsourcing::AppendOutcome>> find_result(
      const eventsourcing::IdempotencyKey& key) override {
    return store_.find_result(key);
  }
  std::uint32_t logs() const override { return store_.logs(); }
  const std::string& service() const override { return store_.service(); }

 private:
  eventsourcing::EventStore& store_;
  observability::Log log_;
};

}  // namespace tideline::runtime
