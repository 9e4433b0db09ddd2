// Events in memory, under the same laws as the store in PostgreSQL: for unit tests and demos.
//
// Thread-safe; blocks no longer than another call takes, except wait_for_append(). Never fails but
// for an append that is no append (InvalidInput).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "eventsourcing/store/event_store.hpp"

namespace tideline::eventsourcing {

class InMemoryEventStore final : public EventStore, public EventLog {
 public:
  // Both outlive the store.
  InMemoryEventStore(std::string service, std::uint32_t logs, const core::Clock& clock,
                     core::Random& random);

  core::Result<std::vector<RecordedEvent>> read_stream(const core::StreamId& stream,
                                                       core::StreamVersion after,
                                                       std::size_t limit) override;
  core::Result<std::optional<RecordedEvent>> read_last(const core::StreamId& stream) override;
  core::Result<std::vector<RecordedEvent>> read_compacted(const core::StreamId& stream,
                                                          std::uint32_t revision,
                                                          std::size_t limit) override;
  core::Status save_compaction(const core::StreamId& stream,
                               const StreamCompaction& compaction) override;
  core::Result<std::optional<AppendOutcome>> find_result(const IdempotencyKey& key) override;
  const std::string& service() const override { return service_; }

  std::uint32_t logs() const override { return static_cast<std::uint32_t>(by_log_.size()); }
  core::Status read_ranges(std::span<const LogRange> ranges, const Visit& visit) override;
  core::Result<core::LogPosition> head(core::LogIndex log) override;
  void wait_for_append(std::chrono::milliseconds timeout) override;

 private:
  core::Result<AppendOutcome> do_append(Append append) override;
  struct Stored {
    std::string body_hash;
    StoredResult result;
    core::Timestamp expires_at;
  };
  struct Place {
    std::size_t log;
    std::size_t index;
  };
  using KeyName = std::tuple<std::string, std::string, std::string>;

  std::optional<AppendOutcome> known(const IdempotencyKey& key, core::Timestamp now) const;
  PositionVector record(const Append& append);

  const std::string service_;
  const core::Clock& clock_;
  core::Random& random_;
  std::mutex mutex_;
  std::condition_variable appended_;
  std::uint64_t appends_ = 0;
  // What each waiting thread has heard of, so that an append between its read and its wait counts.
  std::map<std::thread::id, std::uint64_t> waited_for_;
  std::vector<std::vector<RecordedEvent>> by_log_;
  std::unordered_map<core::StreamId, std::vector<Place>> by_stream_;
  std::unordered_map<core::StreamId, StreamCompaction> compactions_;
  std::map<KeyName, Stored> results_;
};

}  // namespace tideline::eventsourcing
