// Which events of a stream still count for its decider, so that a command's cost does not grow with
// the stream's length. As log compaction in Kafka, but nothing is deleted: who reads for a decision
// passes over what later events have made irrelevant.
//
//   struct Follow {
//     static constexpr CompactionRule kCompaction = latest_of_each_type();
//     ...
//
// Law: a decider's state after the events that its rule keeps, in their order, is its state after
// all of them (testing/compaction_law.hpp holds deciders to it).
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include "eventsourcing/commands/decider.hpp"
#include "eventsourcing/events/event.hpp"

namespace tideline::eventsourcing {

struct CompactionRule {
  // Raised by whoever makes the rule keep more: what was compacted before is read whole again.
  std::uint32_t revision;
  // Whether `newer`, of the same stream, makes `older` irrelevant. Pure.
  bool (*supersedes)(const RecordedEvent& newer, const RecordedEvent& older);
};

inline bool is_of_same_type(const RecordedEvent& newer, const RecordedEvent& older) {
  return newer.type == older.type;
}

// For deciders whose every event says all of what it is about, as most do.
constexpr CompactionRule latest_of_each_type() { return {1, is_of_same_type}; }

template <class D>
concept Compacted = requires {
  { D::kCompaction } -> std::convertible_to<CompactionRule>;
};

// Its rules end a stream after kEventsMax events at most.
template <class D>
concept Bounded = requires {
  { D::kEventsMax } -> std::convertible_to<std::uint32_t>;
};

// Takes a stream's events in order and keeps those that count. One thread.
class CompactedEvents {
 public:
  explicit CompactedEvents(const CompactionRule& rule) : rule_(rule) {}

  // A stub says nothing that an event of its type would: it supersedes none.
  void add(RecordedEvent event) {
    const bool stub = is_stub(event);
    std::erase_if(kept_,
                  [&](const auto& older) { return !stub && rule_.supersedes(event, older); });
    kept_.push_back(std::move(event));
  }
  // The last event of the stream is always the last of these.
  const std::vector<RecordedEvent>& kept() const { return kept_; }
  std::vector<RecordedEvent> take() { return std::move(kept_); }

 private:
  const CompactionRule rule_;
  std::vector<RecordedEvent> kept_;
};

}  // namespace tideline::eventsourcing
