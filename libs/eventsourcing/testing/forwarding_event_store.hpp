// An event store that passes everything on to another one, for tests that change one of its calls.
// Thread-safe as the store that it wraps, which must outlive it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eventsourcing/store/event_store.hpp"

namespace tideline::eventsourcing {

class ForwardingEventStore : public EventStore {
 public:
  explicit ForwardingEventStore(EventStore& store) : store_(store) {}

  core::Result<AppendOutcome> do_append(Append append) override {
    return store_.append(std::move(append));
  }
  void do_append_then(Append append, AppendDone done) override {
    store_.append_then(std::move(append), std::move(done));
  }
  core::Result<std::vector<RecordedEvent>> read_stream(const core::StreamId& stream,
                                                       core::StreamVersion after,
                                                       std::size_t limit) override {
    return store_.read_stream(stream, after, limit);
  }
  core::Result<std::optional<RecordedEvent>> read_last(const core::StreamId& stream) override {
    return store_.read_last(stream);
  }
  core::Result<std::vector<RecordedEvent>> read_compacted(const core::StreamId& stream,
                                                          std::uint32_t revision,
                                                          std::size_t limit) override {
    return store_.read_compacted(stream, revision, limit);
  }
  core::Status save_compaction(const core::StreamId& stream,
                               const StreamCompaction& compaction) override {
    return store_.save_compaction(stream, compaction);
  }
  core::Result<std::optional<AppendOutcome>> find_result(const IdempotencyKey& key) override {
    return store_.find_result(key);
  }
  std::uint32_t logs() const override { return store_.logs(); }
  const std::string& service() const override { return store_.service(); }

 private:
  EventStore& store_;
};

}  // namespace tideline::eventsourcing
