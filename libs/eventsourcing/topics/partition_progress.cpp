#include "eventsourcing/topics/partition_progress.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

namespace tideline::eventsourcing {

void PartitionProgress::restart(core::LogPosition position, core::KafkaOffset next_offset) {
  position_ = position;
  next_offset_ = next_offset;
  seen_ = next_offset;
  gap_ = Gap::None;
  held_first_.reset();
  held_highest_ = {};
  came_behind_held_ = false;
}

Verdict PartitionProgress::look_at(core::LogPosition position, core::KafkaOffset offset) {
  seen_ = core::KafkaOffset(offset.value() + 1);
  const bool is_next = position == missing();
  if (gap_ == Gap::Searching && !is_next && seen_ >= search_end_) gap_ = Gap::Missing;
  if (position <= position_) {
    if (gap_ == Gap::None) next_offset_ = seen_;
    return position == core::LogPosition(0) ? Verdict::Foreign : Verdict::Repeat;
  }
  if (is_next) return Verdict::Apply;
  if (gap_ == Gap::None) gap_ = Gap::Detected;
  if (!held_first_) held_first_ = offset;
  held_highest_ = std::max(held_highest_, position);
  return Verdict::Hold;
}

void PartitionProgress::applied(core::LogPosition position, core::KafkaOffset offset) {
  CHECK(position == missing(), "events of a log are applied one after the other");
  position_ = position;
  next_offset_ = core::KafkaOffset(offset.value() + 1);
  gap_ = Gap::None;
  came_behind_held_ = false;
  if (position >= held_highest_) held_first_.reset();
  if (!held_first_ || offset < *held_first_) return;
  // Passed already, and nothing would come to bring it up again.
  gap_ = Gap::Detected;
  came_behind_held_ = true;
}

core::KafkaOffset PartitionProgress::begin_search(std::int64_t back, core::KafkaOffset end) {
  search_end_ = std::max(end, seen_);
  gap_ = Gap::Searching;
  const auto held_first = std::exchange(held_first_, std::nullopt);
  held_highest_ = {};
  if (std::exchange(came_behind_held_, false)) return *held_first;
  return core::KafkaOffset(std::max<std::int64_t>(0, next_offset_.value() - back));
}

void PartitionProgress::give_up_search() {
  if (gap_ == Gap::Searching) gap_ = Gap::Missing;
}

}  // namespace tideline::eventsourcing
