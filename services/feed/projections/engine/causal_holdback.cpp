#include "feed/projections/engine/causal_holdback.hpp"

#include <algorithm>
#include <iterator>

namespace tideline::feed {

bool CausalHoldback::hold(const HeldEntry& entry, eventsourcing::PositionVector seen,
                          const eventsourcing::PositionVector& applied) {
  for (const std::string& service : services_) {
    const auto logs = seen.services().find(service);
    if (logs == seen.services().end()) continue;
    for (const auto& [log, position] : logs->second) {
      if (applied.at(service, log) >= position) continue;
      const core::LogPosition awaited = position;
      waiting_[{service, log}].emplace(awaited, Held{entry, std::move(seen)});
      return true;
    }
  }
  return false;
}

bool CausalHoldback::is_due(const eventsourcing::PositionVector& applied) const {
  return std::ranges::any_of(waiting_, [&](const auto& log) {
    return log.second.begin()->first <= applied.at(log.first.first, log.first.second);
  });
}

void CausalHoldback::drop(const HeldEntry& entry) {
  const bool whole_moment = entry == HeldEntry{.moment = entry.moment};
  for (auto log = waiting_.begin(); log != waiting_.end();) {
    std::erase_if(log->second, [&](const auto& held) {
      return whole_moment ? held.second.entry.moment == entry.moment : held.second.entry == entry;
    });
    log = log->second.empty() ? waiting_.erase(log) : std::next(log);
  }
}

std::vector<Relation> CausalHoldback::relations() const {
  std::vector<Relation> relations;
  for (const auto& [log, held] : waiting_) {
    for (const auto& [position, one] : held) {
      if (one.entry.relation != Relation()) relations.push_back(one.entry.relation);
    }
  }
  return relations;
}

std::vector<HeldEntry> CausalHoldback::release(const eventsourcing::PositionVector& applied) {
  std::vector<Held> reached;
  for (auto log = waiting_.begin(); log != waiting_.end();) {
    auto& held = log->second;
    const auto end = held.upper_bound(applied.at(log->first.first, log->first.second));
    for (auto waiting = held.begin(); waiting != end; ++waiting) {
      reached.push_back(std::move(waiting->second));
    }
    held.erase(held.begin(), end);
    log = held.empty() ? waiting_.erase(log) : std::next(log);
  }
  std::vector<HeldEntry> released;
  for (Held& held : reached) {
    const HeldEntry entry = held.entry;
    if (!hold(entry, std::move(held.seen), applied)) released.push_back(entry);
  }
  return released;
}

}  // namespace tideline::feed
