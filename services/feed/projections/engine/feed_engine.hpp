// The feed engine: fan-out when a moment is written, check when it is read.
//
// A projection in memory alone. A start takes up a memory that was saved, if there is one, and goes
// on with the events behind it; else it begins at the first event. It holds the graph (contacts,
// follows, exclusions, tags, groups, closed accounts), every moment's author and audience, and for
// each viewer, by his number, a bounded array of moment ids. Readers of one shard
// (the first six bits of the account id) take turns. Publishing appends the id to the array of
// everybody who may see it. Reading takes the newest ids and asks before any id leaves whether the
// viewer may see it, and where he may have lost its author since, whether he wants it: so a stale
// entry cannot leak and revoking needs no clean-up. A grant (a new contact,
// a tag, ...) counts once what its writer had seen is applied, as a moment does; then it marks
// viewer and author as pending, and the next read merges them. Pages below an array's floor are
// merged from the authors' moments. Likes and comments are counted and listed when they are read,
// for each viewer those that he may meet.
//
// Arrays are kept for viewers of some shards alone, which may change at any time: one that is not
// kept is cold, and its viewer's pages are merged as those below a floor; one that is kept again is
// made at his next read, as are all after a start from a saved memory. What is read is the same.
// All arrays together have a bound in bytes: where there is no room, those of who has not read for
// long become cold in the same way.
//
// Threads: load(), prefetch() and apply() on the runner's thread; keep() on one; every other member
// from any thread. A reader waits for at most one event to be applied; a writer for the reads under
// way.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "eventsourcing/projections/prefetched_events.hpp"
#include "eventsourcing/projections/projection.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "feed/domain/shards.hpp"
#include "feed/domain/visibility.hpp"
#include "feed/projections/engine/author_merge.hpp"
#include "feed/projections/engine/causal_holdback.hpp"
#include "feed/projections/engine/fan_out_prefetcher.hpp"
#include "feed/projections/engine/feed_memory.hpp"
#include "feed/projections/engine/graph_memory.hpp"
#include "feed/projections/engine/interaction_memory.hpp"
#include "feed/projections/engine/moment_memory.hpp"
#include "feed/projections/engine/viewer_timelines.hpp"
#include "feed/projections/engine/writer_first_mutex.hpp"
#include "feed/projections/events_read.hpp"
#include "sql/keyset.hpp"

namespace tideline::feed {

// A moment has been fanned out. Told on the runner's thread.
struct FanOut {
  core::Timestamp published_at;
  std::size_t deliveries = 0;  // ids appended to viewers' arrays, the author's own among them
};

// What lets older moments of an author appear on a viewer's timeline.
enum class Grant {
  Contact,   // they become contacts
  Follow,    // the viewer follows the author
  Tag,       // the author tags him, ...
  Untag,     // ... untags him, ...
  TagEnd,    // ... deletes the tag
  Wanted,    // the viewer does not exclude the author any more
  Allowed,   // the author does not exclude the viewer any more
  Join,      // the viewer joins a group that a moment names, ...
  Leave,     // ... leaves it, ...
  GroupEnd,  // ... it is dissolved
};

// What ends that a viewer wants an author's moments.
enum class Loss {
  Contact,  // they are contacts no more
  Follow,   // the viewer follows the author no more
  Wanted,   // the viewer excludes the author
};

struct FeedEngineOptions {
  std::size_t timeline_length_max = 512;                  // ids a viewer's array holds at most
  std::size_t timeline_bytes_max = std::size_t{1} << 30;  // that all arrays take
  VisibilityRules rules;
#ifdef TIDELINE_BREAKABLE
  // Only to show that a check notices them missing.
  std::optional<Grant> ignored_grant{};
  std::optional<Loss> ignored_loss{};
  bool ignores(Grant grant) const { return ignored_grant == grant; }
  bool ignores(Loss loss) const { return ignored_loss == loss; }
#else
  static constexpr bool ignores(Grant) { return false; }
  static constexpr bool ignores(Loss) { return false; }
#endif
  std::function<void(const FanOut&)> on_fan_out;  // may be empty
  // Asked by each load(): a memory that was saved; nullopt: begin at the first event. Throws
  // TransactionFailed when that cannot be said now. May be empty.
  std::function<std::optional<RestoredFeed>()> restore{};
  // How many arrays have been emptied for want of room. Told on any thread; may be empty.
  std::function<void(std::size_t)> on_evictions{};
  // Told of each event that apply() uses, on the runner's thread: before readers are shown anything
  // of it, and when they are shown no more what it takes away. May be empty.
  std::function<void(const read::Event&)> before_use{};
  std::function<void(const read::Event&)> after_use{};
};

// At most one of both.
struct PlaceInTimeline {
  std::optional<core::MomentId> older_than;
  std::optional<core::MomentId> newer_than;  // the nearest ones
};

// A moment as one viewer is to see it.
struct TimelineEntry {
  core::MomentId id;
  core::AccountId author;
  std::uint32_t edits = 0;  // its text is the last one's
  std::size_t likes = 0;    // those that the viewer meets, as are the comments
  std::size_t comments = 0;
  bool liked = false;  // by the viewer

  friend bool operator==(const TimelineEntry&, const TimelineEntry&) = default;
};

struct CommentEntry {
  core::CommentId id;
  core::AccountId author;
  std::optional<core::CommentId> parent;  // if there is one that the viewer may see

  friend bool operator==(const CommentEntry&, const CommentEntry&) = default;
};

// At most one of both.
struct PlaceInComments {
  std::optional<core::CommentId> before;  // the nearest older ones
  std::optional<core::CommentId> after;   // newer ones
};

struct TimelinePage {
  std::vector<TimelineEntry> entries;  // newest first
  bool has_newer = false;
  bool has_older = false;
};

// Entries of others that are newer than what the viewer has seen.
struct UnreadMoments {
  std::size_t count = 0;
  bool more = false;  // than were to be counted
  std::optional<core::MomentId> seen_up_to;
};

// Ids alone, without what lies under the moments.
struct TimelineIds {
  std::vector<core::MomentId> ids;  // newest first
  bool has_older = false;
};

class FeedEngine final : public eventsourcing::Projection {
 public:
  explicit FeedEngine(FeedEngineOptions options = {});

  std::string_view name() const override { return "feed-engine"; }
  // Whose events it needs.
  static std::vector<std::string> services() { return {"accounts", "social-graph", "feed"}; }
  std::vector<std::string> sources() const override { return services(); }
  bool durable() const override { return false; }
  eventsourcing::PartitionPlaces loaded_places() const override { return loaded_; }
  bool answers_from_memory() const override { return true; }
  void load(sql::Transaction& transaction) override;
  void prefetch(const eventsourcing::RecordedEvent& event) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(sql::Transaction& transaction) override;
  // The parts of prefetch() and apply() after the decoding: an event without its position.
  void prefetch_decoded(const read::Event& event) { fan_out_prefetcher_.prefetch(&event); }
  void use(const read::Event& event);

  // What FeedMemory::load() takes up again. Readers go on meanwhile; the writer waits, so that it
  // is for an engine of a process of its own.
  void save(snapshots::ValueWriter& out);

  // Tells the engine how far it has got: what releases moments and relations that wait for their
  // writer's token.
  // Before the first query; `applied` outlives the engine.
  void watch(const eventsourcing::AppliedPositions& applied) { applied_ = &applied; }

  // Whose arrays are kept; all of them before the first call. Those of other shards are emptied
  // when it returns: it looks at everybody, a few at a time.
  void keep(const ShardSet& shards);

  // True after the runner had to begin anew, until all that was known before is known again: what
  // the engine would answer meanwhile misses facts, exclusions among them.
  bool is_rebuilding() const { return rebuilding_; }

  // The home timeline: what the viewer may see and wants.
  TimelinePage timeline(const core::AccountId& viewer, const PlaceInTimeline& place,
                        std::size_t limit);
  // The newest of it.
  TimelineIds newest_ids(const core::AccountId& viewer, std::size_t limit);
  // One author's moments, as the viewer may see them: all, or those of a month (UTC).
  TimelinePage moments_of(const core::AccountId& author, const core::AccountId& viewer,
                          const PlaceInTimeline& place, std::size_t limit,
                          const std::optional<std::chrono::year_month>& month = {});
  // The months in which there are any, newest first.
  std::vector<std::chrono::year_month> months_of(const core::AccountId& author,
                                                 const core::AccountId& viewer);
  // Counts up to `max`.
  UnreadMoments unread(const core::AccountId& viewer, std::size_t max);
  // nullopt, here and below: not a moment that the viewer may see.
  std::optional<TimelineEntry> find_visible(core::MomentId id, const core::AccountId& viewer);
  // Its author, without a look at what lies under it.
  std::optional<core::AccountId> find_author(core::MomentId id, const core::AccountId& viewer);
  // Who likes the moment, of those whom the viewer meets; in no order.
  std::optional<std::vector<core::AccountId>> likers_of(core::MomentId id,
                                                        const core::AccountId& viewer);
  // Its comments that the viewer meets, oldest first.
  std::optional<sql::Slice<CommentEntry>> comments_of(core::MomentId id,
                                                      const core::AccountId& viewer,
                                                      const PlaceInComments& place,
                                                      std::size_t limit);
  // Whether it is one of these.
  bool shows_comment(core::MomentId id, core::CommentId comment, const core::AccountId& viewer);

  // Members who have not closed their accounts; none for a dissolved or unknown group.
  std::vector<core::AccountId> members_of(std::string_view group_id) const;

  struct Size {
    std::size_t viewers = 0;
    std::size_t ids = 0;  // in all arrays
    std::size_t moments = 0;
    std::size_t people = 0;       // whom any event has named
    std::size_t array_bytes = 0;  // taken of the system; never above timeline_bytes_max
    std::size_t head_bytes = 0;   // what everybody costs, with an array or without
    std::size_t evictions = 0;    // arrays emptied for want of room, since the start
  };
  Size size() const;

 private:
  struct Shard {
    // Taken by readers, who share mutex_; the writer holds mutex_ alone and needs it not. Guards
    // the arrays of its viewers, too.
    mutable std::mutex mutex;
    // Of whom older moments may have become visible: merged in at the viewer's next read.
    absl::flat_hash_map<PersonIndex, People> pending;
  };
  // Ids not below `from`, below `until`.
  struct IdSpan {
    core::MomentId from;
    core::MomentId until;
  };
  // As they stand while mutex_ is held.
  using Moments = std::vector<const MomentFacts*>;
  using Reading = std::function<Moments(core::MomentId bound, std::size_t n)>;

  // Each under mutex_ held alone.
  void on(const read::AccountClosed& event);
  void on(const read::ContactAccepted& event);
  void on(const read::ContactRemoved& event);
  void on(const read::Followed& event);
  void on(const read::Unfollowed& event);
  void on(const read::ContactTagged& event);
  void on(const read::ContactUntagged& event);
  void on(const read::TagDeleted& event);
  void on(const read::MomentSettingChanged& event);
  void on(const read::GroupJoined& event);
  void on(const read::GroupLeft& event);
  void on(const read::GroupDissolved& event);
  void on(const read::MomentPublished& event);
  void on(const read::MomentEdited& event);
  void on(const read::MomentDeleted& event);
  void on(const read::MomentLiked& event);
  void on(const read::MomentUnliked& event);
  void on(const read::CommentAdded& event);
  void on(const read::CommentDeleted& event);
  void on(const read::MessageSent& event);
  void on(const read::MessagesRead& event);
  void on(const read::TimelineSeen& event);

  void set_tagged(const core::AccountId& owner, const std::string& tag_id,
                  const core::AccountId& account, bool is,
                  const eventsourcing::PositionVector& seen);
  void set_member(const std::string& group_id, const core::AccountId& account, bool is,
                  const eventsourcing::PositionVector& seen);

  // Who an event names has a number from now on, and an array.
  PersonIndex number_of(const core::AccountId& account);
  // Whether the entry has to wait for what its writer had seen.
  bool is_held(const HeldEntry& entry, const eventsourcing::PositionVector& seen);
  std::size_t fan_out(const MomentFacts& moment);
  // Appends the id to the array of each who is accepted; returns to how many. The processor is told
  // of the first of `next`, to whom the moment after it goes.
  template <class Accept>
  std::size_t deliver(core::MomentId id, std::span<const PersonIndex> viewers, const Accept& accept,
                      std::span<const PersonIndex> next);
  // Where there may have to be made room for it.
  bool insert(PersonIndex viewer, core::MomentId id);
  // The relation has changed so that somebody may see more by it: once what its writer had seen is
  // applied. A revocation may be under way that he had made before.
  void open(const Relation& relation, const eventsourcing::PositionVector& seen);
  // To whom that may be.
  void grant_by(const Relation& relation);
  // What `author` has written may have become visible to `viewer`.
  void grant(PersonIndex viewer, PersonIndex author, Grant cause);
  // The same for all whose moments name the group, as far as they are contacts of the viewer.
  void grant_by_group(PersonIndex viewer, GroupIndex group, Grant cause);

  // The viewer may want somebody no more whose moments lie in his array.
  void lose(PersonIndex viewer, Loss cause);

  // Each under mutex_, shared.
  bool is_visible(PersonIndex viewer, const MomentFacts& moment) const;
  bool is_on_timeline(PersonIndex viewer, const MomentFacts& moment) const;
  // Under its shard's mutex, too: the viewer's array with nothing pending, as it is while that is
  // held. Cold if it is not kept or found no room.
  ViewerTimeline merged_timeline(PersonIndex viewer, Shard& shard);
  void merge_pending(PersonIndex viewer, const People& authors);
  void warm_up(PersonIndex viewer);
  // At most n visible moments below / above the bound, nearest first.
  Moments timeline_older(PersonIndex viewer, core::MomentId bound, std::size_t n);
  Moments timeline_newer(PersonIndex viewer, core::MomentId bound, std::size_t n);
  // What ids of his array add to `found`, until that holds n.
  template <class NextId>
  void read_array(PersonIndex viewer, std::size_t n, NextId next_id, Moments& found) const;
  // Of the author's moments from..until alone.
  Moments read_author(PersonIndex author, PersonIndex viewer, const IdSpan& span,
                      core::MomentId bound, AuthorMerge::Direction direction, std::size_t n) const;
  // Of all whom the viewer wants.
  AuthorMerge merge_for(PersonIndex viewer, core::MomentId bound,
                        AuthorMerge::Direction direction) const;
  // What these add to `found`, until that holds n.
  void read_merged(PersonIndex viewer, core::MomentId bound, AuthorMerge::Direction direction,
                   std::size_t n, Moments& found) const;
  void read_visible(AuthorMerge merge, PersonIndex viewer, std::size_t n, Moments& found) const;
  template <class NextId, class Accept>
  void read_ahead(std::size_t n, NextId next_id, const Accept& accept, Moments& found) const;
  TimelinePage make_page(PersonIndex viewer, const PlaceInTimeline& place, std::size_t limit,
                         const Reading& older, const Reading& newer) const;
  TimelineEntry entry_of(PersonIndex viewer, const MomentFacts& moment) const;

  // Each under mutex_, shared, and of a moment whose being visible is asked apart.
  // nullptr: not one that the viewer may see.
  const MomentFacts* find_for(PersonIndex viewer, core::MomentId id) const;
  std::vector<PersonIndex> met_likers(PersonIndex viewer, const MomentFacts& moment,
                                      const MomentInteractions& interactions) const;
  std::vector<const CommentFacts*> met_comments(PersonIndex viewer, const MomentFacts& moment,
                                                const MomentInteractions& interactions) const;
  bool meets(PersonIndex viewer, const CommentFacts& comment, const MomentFacts& moment) const;

  void take_up(RestoredFeed restored);
  bool knows_all_from_before() const;
  // Under no lock: a reader may change his own array alone.
  void make_room();
  // Under mutex_ held alone.
  void make_room(std::size_t arrays);
  void count_evictions(std::size_t evictions);
  void release_held();
  void release(const HeldEntry& entry);
  Visibility<GraphMemory> visibility() const { return Visibility(graph_, options_.rules); }
  std::size_t shard_number(PersonIndex viewer) const { return shard_of(graph_.account_of(viewer)); }
  Shard& shard_at(PersonIndex viewer) const { return (*shards_)[shard_number(viewer)]; }
  std::size_t people() const;
  // Some of the people, from that number on, if they are of these shards.
  void cool_down(const ShardSet& shards, std::size_t first, std::size_t count);

  static_assert(FanOutPrefetcher::kEvents == kPrefetchAhead);

  const FeedEngineOptions options_;
  const eventsourcing::AppliedPositions* applied_ = nullptr;
  mutable WriterFirstMutex mutex_;
  GraphMemory graph_;
  ViewerTimelines timelines_;
  std::atomic<std::size_t> evictions_{0};
  ShardSet kept_ = ShardSet().set();
  MomentMemory moments_;
  FanOutPrefetcher fan_out_prefetcher_{graph_, moments_, timelines_};
  InteractionMemory interactions_;
  SeenUpTo seen_up_to_;
  CausalHoldback holdback_;
  std::atomic<bool> anything_held_{false};
  eventsourcing::PositionVector known_;         // of the events that have been used
  eventsourcing::PositionVector known_before_;  // when the runner last began anew
  eventsourcing::PartitionPlaces loaded_;       // where the restored memory stands
  std::atomic<bool> rebuilding_{false};
  std::unique_ptr<std::array<Shard, kShards>> shards_;
  // Those of `next` that the last delivery told of: where they lay, for they may be gone.
  std::span<const PersonIndex> told_;
  eventsourcing::PrefetchedEvents<read::Event> prefetched_{read::read_event};
};

}  // namespace tideline::feed
