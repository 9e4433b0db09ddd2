// Applies events to the feed engine's state: changes the graph and what lies under moments, and
// fans a moment out to the arrays of everybody who may see it.
//
// Threads: one, the runner's.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/events/position_vector.hpp"
#include "feed/projections/engine/fan_out_prefetcher.hpp"
#include "feed/projections/engine/feed_state.hpp"
#include "feed/projections/engine/grants.hpp"
#include "feed/projections/events_read.hpp"

namespace tideline::feed {

class FeedWriter {
 public:
  // Both outlive the writer.
  FeedWriter(FeedState& state, Grants& grants) : state_(state), grants_(grants) {}

  // Of every event, in the order of their use, up to FanOutPrefetcher::kEvents ahead; nullptr: one
  // that is not used.
  void prefetch(const read::Event* event) { fan_out_prefetcher_.prefetch(event); }
  // Takes the state's mutex. `time`: when it was written.
  void use(const read::Event& event, core::Timestamp time = {});
  // The state has been replaced.
  void forget_prefetched() { fan_out_prefetcher_.forget(); }

 private:
  // Each under the state's mutex held alone.
  void on(const read::AccountClosed& event);
  void on(const read::ContactAccepted& event);
  void on(const read::ContactRemoved& event);
  void on(const read::Followed& event);
  void on(const read::Unfollowed& event);
  void on(const read::ContactTagged& event);
  void on(const read::ContactUntagged& event);
  void on(const read::TagCreated& event);
  void on(const read::TagDeleted& event);
  void on(const read::MomentSettingChanged& event);
  void on(const read::PersonBlocked& event);
  void on(const read::PersonUnblocked& event);
  void on(const read::GroupCreated& event);
  void on(const read::GroupHistoryChanged& event);
  void on(const read::GroupJoined& event);
  void on(const read::GroupLeft& event);
  void on(const read::GroupMemberRemoved& event);
  void on(const read::GroupDissolved& event);
  void on(const read::MomentPublished& event);
  void on(const read::MomentEdited& event);
  void on(const read::MomentAudienceChanged& event);
  void on(const read::MomentHidden& event);
  void on(const read::MomentRestored& event);
  void on(const read::MomentDeleted& event);
  void on(const read::MomentLiked& event);
  void on(const read::MomentUnliked& event);
  void on(const read::CommentAdded& event);
  void on(const read::CommentHidden& event);
  void on(const read::CommentRestored& event);
  void on(const read::CommentDeleted& event);
  void on(const read::MessageSent& event);
  void on(const read::MessageRecalled& event);
  void on(const read::MessagesRead& event);
  void on(const read::GroupMessagesRead& event);
  void on(const read::TimelineSeen& event);
  void on(const read::MomentBookmarked& event);
  void on(const read::BookmarkRemoved& event);

  void set_tagged(const core::AccountId& owner, const std::string& tag_id,
                  const core::AccountId& account, bool is,
                  const eventsourcing::PositionVector& seen);
  void set_member(const std::string& group_id, const core::AccountId& account, bool is,
                  const eventsourcing::PositionVector& seen);

  ListedPeople listed(const AudienceLists& lists);
  // Whoever an event names has a number from now on, and an array.
  PersonIndex number_of(const core::AccountId& account);
  // Returns the number of deliveries.
  std::size_t fan_out(const MomentFacts& moment);
  // Appends the id to the array of each viewer who is accepted; returns to how many. Prefetches the
  // first of `next`, to whom the moment after it goes.
  template <class Accept>
  std::size_t deliver(core::MomentId id, std::span<const PersonIndex> viewers, const Accept& accept,
                      std::span<const PersonIndex> next);
  // Makes room for it where there is none.
  bool insert(PersonIndex viewer, core::MomentId id);

  FeedState& state_;
  Grants& grants_;
  core::Timestamp time_;  // of the event in use
  GraphMemory& graph_ = state_.memory.graph;
  MomentMemory& moments_ = state_.memory.moments;
  InteractionMemory& interactions_ = state_.memory.interactions;
  ViewerTimelines& timelines_ = state_.timelines;
  FanOutPrefetcher fan_out_prefetcher_{graph_, moments_, timelines_};
  // The viewers of `next` that the last delivery prefetched: where they lay, for they may be gone.
  std::span<const PersonIndex> prefetched_;
};

}  // namespace tideline::feed
