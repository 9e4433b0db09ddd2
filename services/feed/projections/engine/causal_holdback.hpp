// Moments, edits, changes of audiences, comments and relations that wait for what their writers had
// seen when they wrote them.
//
// Each waits at the first position of its vector that is not applied, so that asking costs as much
// as there are logs waited on and entries let go, however many are held. Not synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "eventsourcing/events/position_vector.hpp"
#include "feed/projections/engine/relation.hpp"
#include "snapshots/value_stream.hpp"

namespace tideline::feed {

// A moment, the n-th edit of it, the n-th change of its audience, a comment on it, or that one of
// them is restored; or a relation, which is of no moment.
struct HeldEntry {
  core::MomentId moment{};
  std::uint32_t edit = 0;      // 0: none
  std::uint32_t audience = 0;  // 0: none
  core::CommentId comment{};   // 0: none
  bool restored = false;       // the moment, or the comment
  Relation relation{};

  friend bool operator==(const HeldEntry&, const HeldEntry&) = default;
};

class CausalHoldback {
 public:
  // Waits only on positions of these services.
  explicit CausalHoldback(std::vector<std::string> services) : services_(std::move(services)) {}

  // True if the entry has to wait: it comes out of a later release().
  bool hold(const HeldEntry& entry, eventsourcing::PositionVector seen,
            const eventsourcing::PositionVector& applied);
  // True if release() would have something to look at.
  bool is_due(const eventsourcing::PositionVector& applied) const;
  // It waits no more, for it is deleted or hidden; nor does what belongs to a moment without it.
  void drop(const HeldEntry& entry);
  // Those that `applied` covers.
  std::vector<HeldEntry> release(const eventsourcing::PositionVector& applied);

  bool empty() const { return waiting_.empty(); }
  // Those that wait, each as often as it does.
  std::vector<Relation> relations() const;
  void clear() { waiting_.clear(); }

  void save(snapshots::ValueWriter& out) const;
  // They wait again, also those that are due: the next release() tells.
  void load(snapshots::ValueReader& in);

 private:
  using Log = std::pair<std::string, core::LogIndex>;
  struct Held {
    HeldEntry entry;
    eventsourcing::PositionVector seen;
  };

  std::vector<std::string> services_;
  std::map<Log, std::multimap<core::LogPosition, Held>> waiting_;
};

}  // namespace tideline::feed
