// Brings the logs of a database that was put back to an older copy up to what their topic holds.
//
// What was published is history: other services have built on it. So the events that the database
// lacks are taken back from the topic, to the places where they were; private ones as stubs
// (eventsourcing::is_stub), for their data was in the database alone. Events that were written
// after the copy was put back, in the places of those, were not published: the relay refuses them.
// They are moved behind, in their order, as the next versions of their streams.
// docs/adr/0048 says why it is done so.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
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
  std::uint64_t moved = 0;         // events of the database, behind those

  friend bool operator==(const RecoveredLog&, const RecoveredLog&) = default;
};

struct LogRecoveryOptions {
  std::string service;               // whose topic it is
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
