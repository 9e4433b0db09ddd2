// Where the publication of one log stands. Pure: no I/O, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "core/ids.hpp"

namespace tideline::kafka {

class LogPublication {
 public:
  // What a partition holds.
  struct Held {
    core::LogPosition reached;  // every event up to here; 0 = none
    core::LogPosition newest;   // perhaps more, with holes
    std::string newest_id;
    core::KafkaOffset end;
  };
  // Goes on behind what is reached. Records that an earlier producer still had under way are
  // nobody's concern any more.
  void resume(Held held);

  // The event after this one is to be sent next.
  core::LogPosition sent() const { return sent_; }
  void note_sent(core::LogPosition position, std::string_view id);
  // False: the newest event that was sent stands at `position` and has another id. The database is
  // not the one any more that was published from.
  bool agrees(core::LogPosition position, std::string_view id) const;
  std::size_t in_flight() const { return in_flight_.size(); }

  // False: this is not the record whose turn it is, or it lies where it cannot lie. The producer is
  // not to be trusted any more.
  bool delivered(core::LogPosition position, std::int64_t offset);
  // Everything up to here is in the partition, without a hole.
  core::LogPosition acknowledged() const { return acknowledged_; }
  // The partition reaches beyond this offset unless the broker has lost records; -1 = it is empty.
  std::int64_t last_offset() const { return last_offset_; }

  // Somebody has not found `position` in the partition up to `end`. True: sending begins there
  // again. False: it will be sent anyway, or has been sent to where the reader has yet to come.
  bool send_again(core::LogPosition position, core::KafkaOffset end);
  // What is sent without a break began with this position.
  core::LogPosition run_from() const { return run_from_; }

 private:
  core::LogPosition sent_;
  core::LogPosition newest_;  // the highest that was ever sent
  std::string newest_id_;
  core::LogPosition acknowledged_;
  std::deque<core::LogPosition> in_flight_;
  std::int64_t last_offset_ = -1;
  core::LogPosition run_from_;
  // Where the run's first record lies; -1 = its report has not come yet.
  std::int64_t run_offset_ = -1;
};

}  // namespace tideline::kafka
