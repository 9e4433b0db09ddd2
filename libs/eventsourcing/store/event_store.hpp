// The port to a service's events: append (the only write on a request path) and read.
//
// Laws that every adapter keeps (one port suite, testing/event_store_suite.hpp, holds them all to
// it):
// - positions are gapless and in commit order within a log, versions gapless within a stream;
// - one Append is all or nothing; a conflict fails its own append alone;
// - an idempotency key gives its first result again, whatever happened in between.
// Thread-safe. Calls block until the outcome is durable or known to have failed; append_then() does
// not.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/result.hpp"
#include "eventsourcing/events/event.hpp"
#include "eventsourcing/events/position_vector.hpp"

namespace tideline::eventsourcing {

// Events for one stream that must stand at `expected` (0: must not exist yet).
struct StreamAppend {
  core::StreamId stream;
  core::StreamVersion expected;
  std::vector<NewEvent> events;
};

// A stream that is only read but must still stand where the decision saw it.
struct StreamAssertion {
  core::StreamId stream;
  core::StreamVersion expected;
};

// Unique by (scope, route, key); `body_hash` tells a retry from another request under the same key.
struct IdempotencyKey {
  std::string scope;  // account id, or "" before sign-in
  std::string route;  // method and template, "POST /v1/moments"
  std::string key;
  std::string body_hash;
};

// What the first request with a key was answered. Kept for 7 days.
struct StoredResult {
  int status = 0;
  std::string body;
  std::string location;
  std::string etag;  // stream version, "" = none
  // Where the caller's streams stood; the store adds the positions of what it writes.
  PositionVector positions;

  friend bool operator==(const StoredResult&, const StoredResult&) = default;
};

// Without streams, but with a key: a success that changes nothing, remembered under its key so that
// a late retry is answered the same.
struct Append {
  std::vector<StreamAppend> streams;
  std::vector<StreamAssertion> assertions;
  core::Timestamp time;  // of every event of this append
  Metadata metadata;
  std::optional<IdempotencyKey> idempotency;
  StoredResult result;  // stored with the key, if there is one
};

struct Appended {
  PositionVector positions;  // the last position in each log that was written; empty without events
};
struct AlreadyDone {
  StoredResult result;
};
struct VersionConflict {
  core::StreamId stream;
  core::StreamVersion actual;
};
struct KeyReused {};  // the key was used for another body

using AppendOutcome = std::variant<Appended, AlreadyDone, VersionConflict, KeyReused>;

// Takes what append() would have returned.
using AppendDone = std::function<void(core::Result<AppendOutcome>)>;

// Sees each append come and go, for logs and spans. Thread-safe; quick; does not throw.
class AppendObserver {
 public:
  using Finished = std::function<void(const core::Result<AppendOutcome>&)>;

  virtual ~AppendObserver() = default;
  // What it returns is called once with the outcome, perhaps on another thread, before whoever
  // appended learns of it. Empty: nothing is wanted of this one.
  virtual Finished begin(const Append& append) = 0;
};

// Which events of a stream count, up to one of them: of those behind it nothing is said.
struct StreamCompaction {
  std::uint32_t revision = 0;  // of the rule that says what counts
  core::StreamVersion upto;
  std::vector<core::StreamVersion> kept;  // ascending, none above `upto`
};

class EventStore {
 public:
  virtual ~EventStore() = default;

  // Before the first append. The observer must outlive it.
  void observe(AppendObserver& observer) { observers_.push_back(&observer); }

  // An Error means that nothing of the append is or will be there; an outcome that cannot be known
  // (the connection broke in the commit) is resolved by the key before this returns, or reported as
  // ErrorCode::Timeout.
  core::Result<AppendOutcome> append(Append append);
  // The same, without a thread that waits: calls `done` once, before this returns or later on a
  // thread of the store, which does nothing else meanwhile: `done` is quick and does not throw. It
  // may call append_then().
  void append_then(Append append, AppendDone done);

  // Events after version `after`, oldest first, at most `limit`.
  virtual core::Result<std::vector<RecordedEvent>> read_stream(const core::StreamId& stream,
                                                               core::StreamVersion after,
                                                               std::size_t limit) = 0;
  // For streams whose every event carries the whole state.
  virtual core::Result<std::optional<RecordedEvent>> read_last(const core::StreamId& stream) = 0;

  // The events that the stream's compaction keeps and at most `limit` behind it, oldest first; from
  // the beginning where there is none of that revision.
  virtual core::Result<std::vector<RecordedEvent>> read_compacted(const core::StreamId& stream,
                                                                  std::uint32_t revision,
                                                                  std::size_t limit) = 0;
  // For later reads. One of an older revision, or up to an earlier event, does not replace another.
  virtual core::Status save_compaction(const core::StreamId& stream,
                                       const StreamCompaction& compaction) = 0;

  // nullopt: the key is new. KeyReused or AlreadyDone otherwise.
  virtual core::Result<std::optional<AppendOutcome>> find_result(const IdempotencyKey& key) = 0;

  virtual std::uint32_t logs() const = 0;
  // The name that this service's events carry as their source.
  virtual const std::string& service() const = 0;

 protected:
  virtual core::Result<AppendOutcome> do_append(Append append) = 0;
  virtual void do_append_then(Append append, AppendDone done) {
    done(do_append(std::move(append)));
  }

 private:
  std::vector<AppendObserver::Finished> begin_observed(const Append& append) const;

  std::vector<AppendObserver*> observers_;
};

// The events of one log behind `after`, at most `limit`.
struct LogRange {
  core::LogIndex log;
  core::LogPosition after;
  std::size_t limit = 0;
};

// The logs in order: what the relay publishes from. Private events come with their data here.
class EventLog {
 public:
  // False: no more events are wanted.
  using Visit = std::function<bool(const RecordedEvent&)>;

  virtual ~EventLog() = default;

  virtual std::uint32_t logs() const = 0;
  // Shows the events of all ranges, each log's in order, the logs in any. No two ranges are of one
  // log. An event is valid until `visit` returns, and its storage is used for the next one. After
  // an Error, `visit` may have seen some.
  virtual core::Status read_ranges(std::span<const LogRange> ranges, const Visit& visit) = 0;
  // One range, to keep.
  core::Result<std::vector<RecordedEvent>> read_log(core::LogIndex log, core::LogPosition after,
                                                    std::size_t limit) {
    std::vector<RecordedEvent> events;
    const LogRange range{log, after, limit};
    const core::Status read = read_ranges({&range, 1}, [&](const RecordedEvent& event) {
      events.push_back(event);
      return true;
    });
    if (!read) return read.error();
    return events;
  }
  virtual core::Result<core::LogPosition> head(core::LogIndex log) = 0;
  // The heads of all logs, by log. Adapters that can ask for all at once override it.
  virtual core::Result<std::vector<core::LogPosition>> heads() {
    std::vector<core::LogPosition> all;
    for (std::uint32_t log = 0; log < logs(); ++log) {
      auto one = head(core::LogIndex(log));
      if (!one) return one.error();
      all.push_back(*one);
    }
    return all;
  }
  // Returns early when something was appended; an early return without an append is allowed.
  virtual void wait_for_append(std::chrono::milliseconds timeout) = 0;
};

}  // namespace tideline::eventsourcing
