// What a batch of appends reads and writes. Pure: from the appends and from what was read under the
// locks follow every outcome and every row. append_statements.hpp reads and writes them. Streams
// are named by views into the appends, which outlive all of this.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/random.hpp"
#include "eventsourcing/store/event_store.hpp"

namespace tideline::postgres {

using Appends = std::span<const eventsourcing::Append* const>;

// Everything that the outcomes of a batch depend on. Sorted, without repeats.
struct BatchScope {
  std::vector<core::LogIndex> logs;
  std::vector<std::string_view> streams;
  std::vector<const eventsourcing::IdempotencyKey*> keys;
};

struct KnownResult {
  std::string body_hash;
  eventsourcing::StoredResult result;
  core::Timestamp expires_at;
};

using StreamVersions = std::unordered_map<std::string_view, core::StreamVersion>;

// What the database held of a scope once its logs were locked. keys[i] belongs to scope.keys[i].
struct LockedState {
  std::map<core::LogIndex, core::LogPosition> heads;
  StreamVersions versions;
  std::map<std::size_t, KnownResult> results;
};

struct PlannedEvent {
  const eventsourcing::Append* append;
  const eventsourcing::NewEvent* event;
  std::string_view stream;
  core::StreamVersion version;
  core::LogIndex log;
  core::LogPosition position;
  std::string id;
};

struct PlannedResult {
  const eventsourcing::IdempotencyKey* key;
  eventsourcing::StoredResult result;
  core::Timestamp expires_at;
};

struct BatchPlan {
  std::vector<eventsourcing::AppendOutcome> outcomes;  // [i] of appends[i]
  std::vector<PlannedEvent> events;
  std::vector<PlannedResult> results;
  std::map<core::LogIndex, core::LogPosition> heads;  // of the logs that were written
};

struct BatchTerms {
  std::string service;
  std::uint32_t logs;
  std::chrono::hours idempotency_ttl;
};

BatchScope scope_of(Appends appends, std::uint32_t logs);

// Each append is decided as if those before it in the batch had been committed one by one.
BatchPlan plan_batch(Appends appends, const BatchScope& scope, const LockedState& state,
                     const BatchTerms& terms, core::Random& random);

// The state in which every append of the batch succeeds: each stream stands where the first append
// that names it expects it, and no key is known.
LockedState presumed_state(Appends appends, const BatchScope& scope,
                           const std::map<core::LogIndex, core::LogPosition>& heads);
// The streams of the scope whose presumed version nothing else proves: where the plan writes a
// first event, writing it shows that there was none.
std::vector<std::string_view> unproven_streams(const BatchScope& scope, const BatchPlan& plan);
bool all_appended(const BatchPlan& plan);

// The logs that the plan's transaction holds for what it writes.
std::vector<core::LogIndex> logs_of(const BatchPlan& plan, std::uint32_t logs);

}  // namespace tideline::postgres
