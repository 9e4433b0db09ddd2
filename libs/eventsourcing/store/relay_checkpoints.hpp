// How far each log has been published, and which process may publish it: what a relay needs of its
// database, as a port. The adapter is postgres/store/relay_checkpoints.hpp.
//
// Laws: of all processes at most one holds the claim of a log; a checkpoint moves only through the
// connection that holds its claim, and only from the position that its owner last saw.
// Thread-safe; blocks on the database.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <span>

#include "core/ids.hpp"
#include "core/result.hpp"

namespace tideline::eventsourcing {

struct CheckpointMove {
  core::LogIndex log;
  core::LogPosition from;
  core::LogPosition to;
};

class RelayCheckpoints {
 public:
  virtual ~RelayCheckpoints() = default;

  // Never waits for the other owner. True: this object holds the log from now on (also when it did
  // before: the database is asked all the same), until release() or until a call on it fails.
  // False: another one holds it.
  virtual core::Result<bool> claim(core::LogIndex log) = 0;
  // Without effect on a log that is not held.
  virtual void release(core::LogIndex log) = 0;

  // The last published position; 0 = none yet. Needs no claim.
  virtual core::Result<core::LogPosition> load(core::LogIndex log) = 0;
  // The logs that were moved. One that is missing is not held by this object any more, or its
  // checkpoint is not at `from`: the caller gives it up. After an Error all claims must be made
  // again. No two moves are of one log.
  virtual core::Result<std::set<core::LogIndex>> advance(std::span<const CheckpointMove> moves) = 0;
};

// Claims and checkpoints of one process, shared by several objects as a database would be.
struct InMemoryRelayTable {
  std::mutex mutex;
  std::map<core::LogIndex, core::LogPosition> positions;
  std::set<core::LogIndex> claimed;
};

// For tests. Never blocks, never fails.
class InMemoryRelayCheckpoints final : public RelayCheckpoints {
 public:
  explicit InMemoryRelayCheckpoints(InMemoryRelayTable& table) : table_(table) {}
  ~InMemoryRelayCheckpoints() override;

  core::Result<bool> claim(core::LogIndex log) override;
  void release(core::LogIndex log) override;
  core::Result<core::LogPosition> load(core::LogIndex log) override;
  core::Result<std::set<core::LogIndex>> advance(std::span<const CheckpointMove> moves) override;

 private:
  InMemoryRelayTable& table_;
  std::set<core::LogIndex> held_;  // guarded by the table's mutex
};

}  // namespace tideline::eventsourcing
