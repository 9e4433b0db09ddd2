// Brings the logs of a database that was put back to an older copy up to what their topic holds.
//
// What was published is history: other services have built on it. So the events that the database
// lacks are taken back from the topic, to the places where they were; private ones as stubs
// (eventsourcing::is_stub), for their data was in the database alone.
//
// Events that were written after the copy was put back are not published yet. They go behind what
// was taken back, in their order, with positions and versions of their own. But what was decided on
// a stream that has been taken back since was decided on a state that never was: such an event is
// set aside, in table event_set_aside, with all of its append and all that came after on the
// streams of that append. So nobody gets an account, or a password back, by being quick.
// docs/adr/0048 says why it is done so.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "eventsourcing/topics/record_source.hpp"
#include "sql/transaction.hpp"

namespace tideline::postgres {

struct RecoveredLog {
  core::LogIndex log;
  core::LogPosition agreed;        // the last one that the database and the topic had in common
  std::uint64_t taken_back = 0;    // events of the topic, stubs included
  std::uint64_t without_data = 0;  // of them stubs
  std::uint64_t moved = 0;         // events of the database that stand behind those now
  std::uint64_t set_aside = 0;     // events of the database that are in no log any more

  friend bool operator==(const RecoveredLog&, const RecoveredLog&) = default;
};

struct LogRecoveryOptions {
  std::vector<core::LogIndex> logs;  // that lie in this database
  // So long the topic may give nothing before its end.
  std::chrono::milliseconds patience{30'000};
};

// In one transaction of `database`, while nobody else appends to these logs or publishes them.
// `source` reads the topic of the service alone, in no group. Returns one entry for each log that
// was changed; Unavailable when it is stopped or the topic does not answer, or lacks a position.
core::Result<std::vector<RecoveredLog>> recover_logs(sql::Database& database,
                                                     eventsourcing::RecordSource& source,
                                                     const LogRecoveryOptions& options,
                                                     const std::stop_token& stop);

}  // namespace tideline::postgres
