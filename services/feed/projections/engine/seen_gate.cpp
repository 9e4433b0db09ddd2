#include "feed/projections/engine/seen_gate.hpp"

#include <algorithm>
#include <iterator>

namespace tideline::feed {

bool SeenGate::hold(core::MomentId id, eventsourcing::PositionVector seen,
                    const eventsourcing::PositionVector& applied) {
  for (const std::string& service : services_) {
    const auto logs = seen.services().find(service);
    if (logs == seen.services().end()) continue;
    for (const auto& [log, position] : logs->second) {
      if (applied.at(service, log) >= position) continue;
      const core::LogPosition awaited = position;
      waiting_[{service, log}].emplace(awaited, Held{id, std::move(seen)});
      return true;
    }
  }
  return false;
}

bool SeenGate::is_due(const eventsourcing::PositionVector& applied) const {
  return std::ranges::any_of(waiting_, [&](const auto& log) {
    return log.second.begin()->first <= applied.at(log.first.first, log.first.second);
  });
}

void SeenGate::drop(core::MomentId id) {
  for (auto log = waiting_.begin(); log != waiting_.end();) {
    std::erase_if(log->second, [id](const auto& held) { return held.second.id == id; });
    log = log->second.empty() ? waiting_.erase(log) : std::next(log);
  }
}

std::vector<core::MomentId> SeenGate::release(const eventsourcing::PositionVector& applied) {
  std::vector<Held> reached;
  for (auto log = waiting_.begin(); log != waiting_.end();) {
    auto& held = log->second;
    const auto end = held.upper_bound(applied.at(log->first.first, log->first.second));
    for (auto entry = held.begin(); entry != end; ++entry) {
      reached.push_back(std::move(entry->second));
    }
    held.erase(held.begin(), end);
    log = held.empty() ? waiting_.erase(log) : std::next(log);
  }
  std::vector<core::MomentId> released;
  for (Held& held : reached) {
    const core::MomentId id = held.id;
    if (!hold(id, std::move(held.seen), applied)) released.push_back(id);
  }
  return released;
}

}  // namespace tideline::feed
