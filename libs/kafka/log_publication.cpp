#include "kafka/log_publication.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

namespace tideline::kafka {

void LogPublication::resume(Held held) {
  sent_ = held.reached;
  newest_ = held.newest;
  newest_id_ = std::move(held.newest_id);
  acknowledged_ = held.reached;
  in_flight_.clear();
  last_offset_ = held.end.value() - 1;
  run_from_ = core::LogPosition(held.reached.value() + 1);
  run_offset_ = -1;
}

void LogPublication::note_sent(core::LogPosition position, std::string_view id) {
  CHECK(position.value() == sent_.value() + 1, "events of a log are sent one after the other");
  sent_ = position;
  in_flight_.push_back(position);
  if (position < newest_) return;
  newest_ = position;
  newest_id_ = id;
}

bool LogPublication::agrees(core::LogPosition position, std::string_view id) const {
  return position != newest_ || id == newest_id_;
}

bool LogPublication::delivered(core::LogPosition position, std::int64_t offset) {
  if (in_flight_.empty() || in_flight_.front() != position) return false;
  if (offset <= last_offset_) return false;
  in_flight_.pop_front();
  last_offset_ = offset;
  acknowledged_ = std::max(acknowledged_, position);
  if (run_offset_ < 0 && position == run_from_) run_offset_ = offset;
  return true;
}

bool LogPublication::send_again(core::LogPosition position, core::KafkaOffset end) {
  if (position > acknowledged_ || position == core::LogPosition(0)) return false;
  if (position >= run_from_) {
    // A run takes one offset or more for each position: it lies at or behind this one.
    const auto distance = static_cast<std::int64_t>(position.value() - run_from_.value());
    if (run_offset_ < 0 || run_offset_ + distance >= end.value()) return false;
  }
  sent_ = core::LogPosition(position.value() - 1);
  run_from_ = position;
  run_offset_ = -1;
  return true;
}

}  // namespace tideline::kafka
