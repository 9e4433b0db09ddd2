// Where the publication of one log stands. Pure: no I/O, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/ids.hpp"

namespace tideline::kafka {

class LogPublication {
 public:
  // The partition's last event is the one at `held` (0 = it is empty): goes on behind it. Records
  // that an earlier producer still had under way are nobody's concern any more.
  void resume(core::LogPosition held);

  // The event after this one is to be sent next.
  core::LogPosition sent() const { return sent_; }
  void note_sent(core::LogPosition position);
  std::size_t in_flight() const { return in_flight_.size(); }

  // False: this is not the record whose turn it is, or it lies where it cannot lie. The producer is
  // not to be trusted any more.
  bool delivered(core::LogPosition position, std::int64_t offset);
  // Everything up to here is in the partition, without a hole.
  core::LogPosition acknowledged() const { return acknowledged_; }

  // Somebody has not found `position` in the partition up to `end`. True: sending begins there
  // again. False: it will be sent anyway, or has been sent to where the reader has yet to come.
  bool send_again(core::LogPosition position, core::KafkaOffset end);

 private:
  core::LogPosition sent_;
  core::LogPosition acknowledged_;
  std::deque<core::LogPosition> in_flight_;
  std::int64_t last_offset_ = -1;
  // What has been sent without a break: it began with this position, at this offset (-1 = its
  // report has not come yet).
  core::LogPosition run_from_;
  std::int64_t run_offset_ = -1;
};

}  // namespace tideline::kafka
