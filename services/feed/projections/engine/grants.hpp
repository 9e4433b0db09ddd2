// What lets older moments of an author appear on a viewer's timeline, and what takes them away: a
// change of the graph, once everything that its writer had seen is applied. Until then it waits in
// the holdback, as moments, edits and comments do.
//
// Threads: release_due() from any, under no lock; the rest under FeedState's mutex held alone.
#pragma once

#include "eventsourcing/events/position_vector.hpp"
#include "feed/projections/engine/feed_state.hpp"

namespace tideline::feed {

class Grants {
 public:
  explicit Grants(FeedState& state) : state_(state) {}

  // Whether the entry has to wait for what its writer had seen; then it is in the holdback.
  bool hold(const HeldEntry& entry, const eventsourcing::PositionVector& seen);
  // It waits no more, for it is deleted or hidden again.
  void drop(const HeldEntry& entry);
  // The relation has changed so that somebody may see more by it: once what its writer had seen is
  // applied, for a revocation that they had made before may still be under way.
  void open(const Relation& relation, const eventsourcing::PositionVector& seen);
  // The viewer may no longer want somebody whose moments lie in their array.
  void lose(PersonIndex viewer, Loss cause);

  // Lets go what waited for positions that are applied by now.
  void release_due();

 private:
  void release(const HeldEntry& entry);
  // Of those who may see more by the relation.
  void grant_by(const Relation& relation);
  // What `author` has written may have become visible to `viewer`.
  void grant(PersonIndex viewer, PersonIndex author, Grant cause);
  // The same for all whose moments name the group and who are contacts of the viewer.
  void grant_by_group(PersonIndex viewer, GroupIndex group, Grant cause);

  FeedState& state_;
  GraphMemory& graph_ = state_.memory.graph;
  MomentMemory& moments_ = state_.memory.moments;
  InteractionMemory& interactions_ = state_.memory.interactions;
  CausalHoldback& holdback_ = state_.memory.holdback;
  ViewerTimelines& timelines_ = state_.timelines;
};

}  // namespace tideline::feed
