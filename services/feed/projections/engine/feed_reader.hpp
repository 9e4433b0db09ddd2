// Queries of the feed engine: pages of timelines, of authors' moments, and what lies under a
// moment, as one viewer may see them. Asks before any id leaves whether the viewer may see it.
//
// A viewer's array is merged with what is pending for it, or made anew, when it is read.
//
// Thread-safe. A query waits for at most one event to be applied, and for the other queries of its
// viewer's shard.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.hpp"
#include "feed/projections/engine/author_merge.hpp"
#include "feed/projections/engine/feed_pages.hpp"
#include "feed/projections/engine/feed_state.hpp"
#include "feed/projections/engine/grants.hpp"
#include "sql/keyset.hpp"

namespace tideline::feed {

class FeedReader {
 public:
  // Of moments, newest first, and whether there are others on either side.
  template <class Moment>
  struct FoundPage {
    std::vector<Moment> moments;
    bool has_older = false;
    bool has_newer = false;
  };

  // Both outlive the reader.
  FeedReader(FeedState& state, Grants& grants) : state_(state), grants_(grants) {}

  // The home timeline: what the viewer may see and wants.
  TimelinePage timeline(const core::AccountId& viewer, const PlaceInTimeline& place,
                        std::size_t limit) const;
  // The newest of it.
  TimelineIds newest_ids(const core::AccountId& viewer, std::size_t limit) const;
  // One author's moments, as the viewer may see them: all, or those of a month (UTC).
  TimelinePage moments_of(const core::AccountId& author, const core::AccountId& viewer,
                          const PlaceInTimeline& place, std::size_t limit,
                          const std::optional<std::chrono::year_month>& month = {}) const;
  // The months in which there are any, newest first.
  std::vector<std::chrono::year_month> months_of(const core::AccountId& author,
                                                 const core::AccountId& viewer) const;
  // Counts up to `max`.
  UnreadMoments unread(const core::AccountId& viewer, std::size_t max) const;
  // nullopt, here and below: not a moment that the viewer may see.
  std::optional<TimelineEntry> find_visible(core::MomentId id, const core::AccountId& viewer) const;
  // Those of the moments that the viewer may see, in their order.
  std::vector<TimelineEntry> find_all_visible(std::span<const core::MomentId> ids,
                                              const core::AccountId& viewer) const;
  // Whose moments he may see that are not public: himself and his contacts. Of these more may be
  // told here than he may see.
  std::vector<core::AccountId> confided_by(const core::AccountId& viewer) const;
  // Its author, without a look at what lies under it.
  std::optional<core::AccountId> find_author(core::MomentId id,
                                             const core::AccountId& viewer) const;
  // Who likes the moment, of those whom the viewer meets; in no order.
  std::optional<std::vector<core::AccountId>> likers_of(core::MomentId id,
                                                        const core::AccountId& viewer) const;
  // Its comments that the viewer meets, oldest first.
  std::optional<sql::Slice<CommentEntry>> comments_of(core::MomentId id,
                                                      const core::AccountId& viewer,
                                                      const PlaceInComments& place,
                                                      std::size_t limit) const;
  // How many it has in all, whoever meets them.
  std::size_t count_comments(core::MomentId id) const;
  // Who has written it; nullopt: it is none of these.
  std::optional<core::AccountId> find_commenter(core::MomentId id, core::CommentId comment,
                                                const core::AccountId& viewer) const;
  // Whether it is one of these.
  bool shows_comment(core::MomentId id, core::CommentId comment,
                     const core::AccountId& viewer) const {
    return find_commenter(id, comment, viewer).has_value();
  }

  // Of each doing, whether `owner`, whom it concerns, may be told of it: it stands, and he meets it
  // where it was done. Asked of all of them at one time.
  std::vector<bool> tells(const core::AccountId& owner, std::span<const Doing> doings) const;

  // Whether all of them are tags that he has made and not deleted.
  bool are_tags_of(const core::AccountId& owner, std::span<const std::string> tag_ids) const;
  // Whether he is a member of all these groups.
  bool are_groups_of(const core::AccountId& member, std::span<const std::string> group_ids) const;

  // From when on he reads the group's messages; nullopt: he is no member, or there is no such
  // group.
  std::optional<core::Timestamp> reads_group_since(std::string_view group_id,
                                                   const core::AccountId& member) const;
  struct ReadGroup {
    std::string id;
    core::Timestamp since;
  };
  // The groups that he is in, those that he joined last if there are more than `max`.
  std::vector<ReadGroup> groups_of(const core::AccountId& member, std::size_t max) const;
  // Whoever has blocked him, or is blocked by him.
  std::vector<core::AccountId> apart_from(const core::AccountId& person) const;
  // Not while it is in doubt.
  bool are_contacts(const core::AccountId& one, const core::AccountId& other) const;
  // Whether `by` has blocked `other`.
  bool has_blocked(const core::AccountId& by, const core::AccountId& other) const;

 private:
  using Shard = FeedState::Shard;
  // Ids not below `from`, below `until`.
  struct IdSpan {
    core::MomentId from;
    core::MomentId until;
  };
  // As they stand while the state's mutex is held.
  using Moments = std::vector<const MomentFacts*>;
  // What may still be looked at while it is held, and where the last reading ended before it had
  // found enough: an author may have any number of moments that the viewer may not see.
  struct Looks {
    std::size_t left;
    bool too_few = false;
    std::optional<core::MomentId> stopped_at{};  // nullopt: it had no look at all
  };
  // At most n visible moments below / above the bound, nearest first.
  using Reading =
      std::function<Moments(PersonIndex viewer, core::MomentId bound, std::size_t n, Looks& looks)>;

  // Each under the state's mutex, shared.
  bool is_visible(PersonIndex viewer, const MomentFacts& moment) const;
  bool is_on_timeline(PersonIndex viewer, const MomentFacts& moment) const;
  // Under its shard's mutex, too: the viewer's array with nothing pending, as it is while that is
  // held. Cold if it is not kept or found no room.
  ViewerTimeline merged_timeline(PersonIndex viewer, Shard& shard) const;
  void merge_pending(PersonIndex viewer, const People& authors) const;
  void warm_up(PersonIndex viewer) const;
  Moments timeline_older(PersonIndex viewer, core::MomentId bound, std::size_t n,
                         Looks& looks) const;
  Moments timeline_newer(PersonIndex viewer, core::MomentId bound, std::size_t n,
                         Looks& looks) const;
  // What ids of the viewer's array add to `found`, until that holds n.
  template <class NextId>
  void read_array(PersonIndex viewer, std::size_t n, NextId next_id, Moments& found,
                  Looks& looks) const;
  // Of the author's moments from..until alone.
  Moments read_author(PersonIndex author, PersonIndex viewer, const IdSpan& span,
                      core::MomentId bound, AuthorMerge::Direction direction, std::size_t n,
                      Looks& looks) const;
  // Of all whom the viewer wants.
  AuthorMerge merge_for(PersonIndex viewer, core::MomentId bound,
                        AuthorMerge::Direction direction) const;
  // What these add to `found`, until that holds n.
  void read_merged(PersonIndex viewer, core::MomentId bound, AuthorMerge::Direction direction,
                   std::size_t n, Moments& found, Looks& looks) const;
  void read_visible(AuthorMerge merge, PersonIndex viewer, std::size_t n, Moments& found,
                    Looks& looks) const;
  template <class NextId, class Accept>
  void read_ahead(std::size_t n, NextId next_id, const Accept& accept, Moments& found,
                  Looks& looks) const;
  TimelinePage make_page(PersonIndex viewer, const FoundPage<const MomentFacts*>& found) const;
  TimelineEntry entry_of(PersonIndex viewer, const MomentFacts& moment) const;

  // Each under the state's mutex, shared, and of a moment whose being visible is asked apart.
  // nullptr: not one that the viewer may see.
  const MomentFacts* find_for(PersonIndex viewer, core::MomentId id) const;
  std::vector<PersonIndex> met_likers(PersonIndex viewer, const MomentFacts& moment,
                                      const MomentInteractions& interactions) const;
  std::vector<const CommentFacts*> met_comments(PersonIndex viewer, const MomentFacts& moment,
                                                const MomentInteractions& interactions) const;
  bool meets(PersonIndex viewer, const CommentFacts& comment, const MomentFacts& moment) const;
  bool tells_under_moment(PersonIndex owner, PersonIndex actor, const Doing& doing) const;
  bool tells_between(PersonIndex owner, PersonIndex actor, NotificationKind kind) const;

  // Each under no lock. Pages are read at once as a rule, and else in pieces: what lies between two
  // of them may change meanwhile.
  TimelinePage read_page(const core::AccountId& viewer, const PlaceInTimeline& place,
                         std::size_t limit, const Reading& older, const Reading& newer) const;
  std::vector<core::MomentId> read_in_pieces(const core::AccountId& viewer, core::MomentId bound,
                                             std::size_t n, const Reading& reading) const;
  Looks looks() const {
    CHECK(state_.options.looks_at_once > 0, "a page looks at something");
    return {state_.options.looks_at_once};
  }
  // Under no lock: a reader may change the viewer's own array alone.
  void make_room() const;

  FeedState& state_;
  Grants& grants_;
  const GraphMemory& graph_ = state_.memory.graph;
  const MomentMemory& moments_ = state_.memory.moments;
  const InteractionMemory& interactions_ = state_.memory.interactions;
  ViewerTimelines& timelines_ = state_.timelines;
};

}  // namespace tideline::feed
