// Moments that wait for what their authors had seen when they wrote them.
//
// Each waits at the first position of its vector that is not applied, so that asking costs as much
// as there are logs waited on and moments let go, however many are held. Not synchronized.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "eventsourcing/position_vector.hpp"

namespace tideline::feed {

class SeenGate {
 public:
  // Waits only on positions of these services.
  explicit SeenGate(std::vector<std::string> services) : services_(std::move(services)) {}

  // True if the moment has to wait: it comes out of a later release().
  bool hold(core::MomentId id, eventsourcing::PositionVector seen,
            const eventsourcing::PositionVector& applied);
  // True if release() would have something to look at.
  bool is_due(const eventsourcing::PositionVector& applied) const;
  // It waits no more, for it is deleted.
  void drop(core::MomentId id);
  // Those that `applied` covers.
  std::vector<core::MomentId> release(const eventsourcing::PositionVector& applied);

  bool empty() const { return waiting_.empty(); }
  void clear() { waiting_.clear(); }

 private:
  using Log = std::pair<std::string, core::LogIndex>;
  struct Held {
    core::MomentId id;
    eventsourcing::PositionVector seen;
  };

  std::vector<std::string> services_;
  std::map<Log, std::multimap<core::LogPosition, Held>> waiting_;
};

}  // namespace tideline::feed
