// How far one partition has been applied, and what to do with its next record. Pure: no I/O, no
// clock. Positions are the truth, offsets a hint.
#pragma once

#include <cstdint>
#include <optional>

#include "core/ids.hpp"

namespace tideline::eventsourcing {

enum class Verdict {
  Apply,    // the position after the last one
  Repeat,   // known already
  Foreign,  // no event at all
  Hold,     // an earlier one is missing: nothing of the partition is applied until it has come
};

class PartitionProgress {
 public:
  enum class Gap {
    None,
    Detected,   // a seek back is due: begin_search()
    Searching,  // between there and the end that was known then
    Missing,    // the partition does not hold it: to be reported, again and again
  };

  void restart(core::LogPosition position, core::KafkaOffset next_offset);

  Verdict look_at(core::LogPosition position, core::KafkaOffset offset);
  // After Verdict::Apply.
  void applied(core::LogPosition position, core::KafkaOffset offset);

  core::LogPosition position() const { return position_; }
  // Where the next record to be applied is expected. Unless one is missing, nothing before it is
  // still to come, so that it reaches the end of the partition also over repeats.
  core::KafkaOffset next_offset() const { return next_offset_; }
  // One past the last record looked at.
  core::KafkaOffset seen() const { return seen_; }

  Gap gap() const { return gap_; }
  core::LogPosition missing() const { return core::LogPosition(position_.value() + 1); }
  // Returns where to seek: at most `back` records before the place where it was expected. The
  // search ends at `end`.
  core::KafkaOffset begin_search(std::int64_t back, core::KafkaOffset end);
  // The partition gives nothing more, whatever its end was said to be.
  void give_up_search();

 private:
  core::LogPosition position_;
  core::KafkaOffset next_offset_;
  core::KafkaOffset seen_;
  Gap gap_ = Gap::None;
  core::KafkaOffset search_end_;
  // Of the records held since the last search began: what stands there is still to be applied.
  std::optional<core::KafkaOffset> held_first_;
  core::LogPosition held_highest_;
  bool came_behind_held_ = false;
};

}  // namespace tideline::eventsourcing
