#include "eventsourcing/store/relay_checkpoints.hpp"

namespace tideline::eventsourcing {

InMemoryRelayCheckpoints::~InMemoryRelayCheckpoints() {
  const std::lock_guard lock(table_.mutex);
  for (const core::LogIndex log : held_) table_.claimed.erase(log);
}

core::Result<bool> InMemoryRelayCheckpoints::claim(core::LogIndex log) {
  const std::lock_guard lock(table_.mutex);
  if (held_.contains(log)) return true;
  if (!table_.claimed.insert(log).second) return false;
  held_.insert(log);
  return true;
}

void InMemoryRelayCheckpoints::release(core::LogIndex log) {
  const std::lock_guard lock(table_.mutex);
  if (held_.erase(log) > 0) table_.claimed.erase(log);
}

core::Result<core::LogPosition> InMemoryRelayCheckpoints::load(core::LogIndex log) {
  const std::lock_guard lock(table_.mutex);
  return table_.positions[log];
}

core::Result<std::set<core::LogIndex>> InMemoryRelayCheckpoints::advance(
    std::span<const CheckpointMove> moves) {
  const std::lock_guard lock(table_.mutex);
  std::set<core::LogIndex> moved;
  for (const CheckpointMove& move : moves) {
    core::LogPosition& at = table_.positions[move.log];
    if (!held_.contains(move.log) || at != move.from) continue;
    at = move.to;
    moved.insert(move.log);
  }
  return moved;
}

}  // namespace tideline::eventsourcing
