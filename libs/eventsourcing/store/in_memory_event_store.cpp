#include "eventsourcing/store/in_memory_event_store.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/store/append_rules.hpp"

namespace tideline::eventsourcing {
namespace {

constexpr std::chrono::hours kIdempotencyTtl{7 * 24};

}  // namespace

InMemoryEventStore::InMemoryEventStore(std::string service, std::uint32_t logs,
                                       const core::Clock& clock, core::Random& random)
    : service_(std::move(service)), clock_(clock), random_(random), by_log_(logs) {
  CHECK(logs > 0, "a service has at least one log");
}

core::Result<AppendOutcome> InMemoryEventStore::do_append(Append append) {
  if (auto status = validate(append); !status) return status.error();
  const std::lock_guard lock(mutex_);
  if (append.idempotency) {
    if (auto outcome = known(*append.idempotency, append.time)) return std::move(*outcome);
  }
  const auto version_of = [&](const core::StreamId& stream) {
    const auto found = by_stream_.find(stream);
    return core::StreamVersion(found == by_stream_.end() ? 0 : found->second.size());
  };
  if (auto conflict = first_conflict(append, version_of)) {
    return AppendOutcome(std::move(*conflict));
  }
  const PositionVector positions = record(append);
  if (append.idempotency) {
    const IdempotencyKey& key = *append.idempotency;
    append.result.positions.join(positions);
    results_.insert_or_assign(
        KeyName(key.scope, key.route, key.key),
        Stored{key.body_hash, std::move(append.result), append.time + kIdempotencyTtl});
  }
  ++appends_;
  appended_.notify_all();
  return AppendOutcome(Appended{positions});
}

std::optional<AppendOutcome> InMemoryEventStore::known(const IdempotencyKey& key,
                                                       core::Timestamp now) const {
  const auto found = results_.find(KeyName(key.scope, key.route, key.key));
  if (found == results_.end() || found->second.expires_at <= now) return std::nullopt;
  if (found->second.body_hash != key.body_hash) return AppendOutcome(KeyReused{});
  return AppendOutcome(AlreadyDone{found->second.result});
}

PositionVector InMemoryEventStore::record(const Append& append) {
  PositionVector positions;
  for (const StreamAppend& stream : append.streams) {
    const core::LogIndex log = core::log_of(stream.stream.value(), logs());
    auto& events = by_log_[log.value()];
    auto& places = by_stream_[stream.stream];
    for (const NewEvent& event : stream.events) {
      RecordedEvent recorded{core::make_uuid_v7(append.time, random_),
                             service_,
                             event.type,
                             event.schema_version,
                             stream.stream,
                             core::StreamVersion(places.size() + 1),
                             log,
                             core::LogPosition(events.size() + 1),
                             append.time,
                             append.metadata,
                             event.data,
                             event.visibility};
      positions.raise(service_, log, recorded.position);
      places.push_back({log.value(), events.size()});
      events.push_back(std::move(recorded));
    }
  }
  return positions;
}

core::Result<std::vector<RecordedEvent>> InMemoryEventStore::read_stream(
    const core::StreamId& stream, core::StreamVersion after, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  std::vector<RecordedEvent> events;
  const auto found = by_stream_.find(stream);
  if (found == by_stream_.end()) return events;
  for (std::size_t i = after.value(); i < found->second.size() && events.size() < limit; ++i) {
    events.push_back(by_log_[found->second[i].log][found->second[i].index]);
  }
  return events;
}

core::Result<std::optional<RecordedEvent>> InMemoryEventStore::read_last(
    const core::StreamId& stream) {
  const std::lock_guard lock(mutex_);
  const auto found = by_stream_.find(stream);
  if (found == by_stream_.end()) return std::optional<RecordedEvent>();
  const Place& place = found->second.back();
  return std::optional(by_log_[place.log][place.index]);
}

core::Result<std::vector<RecordedEvent>> InMemoryEventStore::read_compacted(
    const core::StreamId& stream, std::uint32_t revision, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  std::vector<RecordedEvent> events;
  const auto found = by_stream_.find(stream);
  if (found == by_stream_.end()) return events;
  const auto add = [&](std::size_t index) {
    const Place& place = found->second[index];
    events.push_back(by_log_[place.log][place.index]);
  };
  std::size_t upto = 0;
  const auto compaction = compactions_.find(stream);
  if (compaction != compactions_.end() && compaction->second.revision == revision) {
    for (const core::StreamVersion version : compaction->second.kept) add(version.value() - 1);
    upto = compaction->second.upto.value();
  }
  const std::size_t end = std::min(found->second.size() - upto, limit) + upto;
  for (std::size_t i = upto; i < end; ++i) add(i);
  return events;
}

core::Status InMemoryEventStore::save_compaction(const core::StreamId& stream,
                                                 const StreamCompaction& compaction) {
  const std::lock_guard lock(mutex_);
  StreamCompaction& known = compactions_[stream];
  const auto age = [](const StreamCompaction& one) { return std::pair(one.revision, one.upto); };
  if (age(known) < age(compaction)) known = compaction;
  return core::success();
}

core::Result<std::optional<AppendOutcome>> InMemoryEventStore::find_result(
    const IdempotencyKey& key) {
  const std::lock_guard lock(mutex_);
  return known(key, clock_.now());
}

core::Status InMemoryEventStore::read_ranges(std::span<const LogRange> ranges, const Visit& visit) {
  // Copies, for `visit` may append.
  std::vector<RecordedEvent> found;
  {
    const std::lock_guard lock(mutex_);
    for (const LogRange& range : ranges) {
      CHECK(range.log.value() < by_log_.size(), "there is no such log");
      const auto& events = by_log_[range.log.value()];
      const auto begin = std::min<std::size_t>(range.after.value(), events.size());
      const auto first = events.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto count = std::min(range.limit, events.size() - begin);
      found.insert(found.end(), first, first + static_cast<std::ptrdiff_t>(count));
    }
  }
  for (const RecordedEvent& event : found) {
    if (!visit(event)) break;
  }
  return core::success();
}

core::Result<core::LogPosition> InMemoryEventStore::head(core::LogIndex log) {
  const std::lock_guard lock(mutex_);
  CHECK(log.value() < by_log_.size(), "there is no such log");
  return core::LogPosition(by_log_[log.value()].size());
}

void InMemoryEventStore::wait_for_append(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  std::uint64_t& seen = waited_for_[std::this_thread::get_id()];
  appended_.wait_for(lock, timeout, [&] { return appends_ != seen; });
  seen = appends_;
}

}  // namespace tideline::eventsourcing
