// The relay's checkpoints in table `relay_checkpoint`; a claim is a session advisory lock on a
// connection of its own. When that connection breaks, PostgreSQL frees the locks: every claim is
// lost, the call fails with a retryable Error, and the next claim() opens a new connection.
//
// Thread-safe (calls take turns on the one connection); blocks on the database.
#pragma once

#include <memory>

#include "eventsourcing/store/relay_checkpoints.hpp"
#include "postgres/connections/database.hpp"

namespace tideline::postgres {

class PostgresRelayCheckpoints final : public eventsourcing::RelayCheckpoints {
 public:
  explicit PostgresRelayCheckpoints(DatabaseOptions options);
  // Gives up all claims.
  ~PostgresRelayCheckpoints() override;

  core::Result<bool> claim(core::LogIndex log) override;
  void release(core::LogIndex log) override;
  core::Result<core::LogPosition> load(core::LogIndex log) override;
  core::Result<std::set<core::LogIndex>> advance(
      std::span<const eventsourcing::CheckpointMove> moves) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tideline::postgres
