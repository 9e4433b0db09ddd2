// What events do to the engine; timeline_reads.cpp has what queries read from it.
#include "feed/projections/engine/feed_engine.hpp"

#include <algorithm>
#include <shared_mutex>
#include <utility>

#include "core/check.hpp"

namespace tideline::feed {

FeedEngine::FeedEngine(FeedEngineOptions options)
    : options_(std::move(options)),
      timelines_(options_.timeline_length_max, options_.timeline_bytes_max),
      holdback_(services()),
      shards_(std::make_unique<std::array<Shard, kShards>>()) {
  timelines_.resize(graph_.people());
}

void FeedEngine::load(sql::Transaction&) {
  // Two memories at once only where there is something to be rid of.
  take_up({FeedMemory(services()), {}});
  if (!options_.restore) return;
  if (auto restored = options_.restore()) take_up(*std::move(restored));
}

void FeedEngine::take_up(RestoredFeed restored) {
  const std::unique_lock lock(mutex_);
  known_before_.join(known_);
  graph_ = std::move(restored.memory.graph);
  moments_ = std::move(restored.memory.moments);
  interactions_ = std::move(restored.memory.interactions);
  seen_up_to_ = std::move(restored.memory.seen_up_to);
  holdback_ = std::move(restored.memory.holdback);
  anything_held_ = !holdback_.empty();
  known_ = std::move(restored.memory.known);
  loaded_ = std::move(restored.places);
  rebuilding_ = !knows_all_from_before();
  timelines_.clear();
  timelines_.resize(graph_.people());
  // Of nobody it is known what he may see of what was before.
  for (std::uint32_t number = 0; number < timelines_.size(); ++number) {
    timelines_.cool_down(static_cast<PersonIndex>(number));
  }
  for (Shard& shard : *shards_) shard.pending.clear();
  fan_out_prefetcher_.forget();
}

bool FeedEngine::knows_all_from_before() const {
  auto both = known_before_;
  both.join(known_);
  return both == known_;
}

void FeedEngine::prefetch(const eventsourcing::RecordedEvent& event) {
  fan_out_prefetcher_.prefetch(prefetched_.prefetch(event));
}

void FeedEngine::apply(const eventsourcing::RecordedEvent& event) {
  const auto known = prefetched_.take(event);
  if (!known) return;
  if (options_.before_use) options_.before_use(*known);
  use(*known);
  if (options_.after_use) options_.after_use(*known);
  known_.raise(event.source, event.log, event.position);
  if (rebuilding_) rebuilding_ = !knows_all_from_before();
}

void FeedEngine::use(const read::Event& event) {
  const std::unique_lock lock(mutex_);
  std::visit([this](const auto& data) { on(data); }, event);
}

void FeedEngine::flush(sql::Transaction&) { CHECK(false, "the engine has no tables"); }

void FeedEngine::on(const read::AccountClosed& event) { graph_.close(number_of(event.account)); }

void FeedEngine::on(const read::ContactAccepted& event) {
  const PersonIndex from = number_of(event.from);
  const PersonIndex to = number_of(event.to);
  graph_.set_contacts(from, to, true);
  open(Relation::contacts(from, to), event.seen);
}

void FeedEngine::on(const read::ContactRemoved& event) {
  const PersonIndex by = number_of(event.by);
  const PersonIndex other = number_of(event.other);
  if (!graph_.set_contacts(by, other, false)) return;
  lose(by, Loss::Contact);
  lose(other, Loss::Contact);
}

void FeedEngine::on(const read::Followed& event) {
  const PersonIndex follower = number_of(event.follower);
  const PersonIndex followee = number_of(event.followee);
  graph_.set_follows(follower, followee, true);
  open(Relation::follows(follower, followee), event.seen);
}

void FeedEngine::on(const read::Unfollowed& event) {
  const PersonIndex follower = number_of(event.follower);
  if (graph_.set_follows(follower, number_of(event.followee), false)) lose(follower, Loss::Follow);
}

void FeedEngine::on(const read::ContactTagged& event) {
  set_tagged(event.owner, event.tag_id, event.account_id, true, event.seen);
}

// Losing a tag, a group or a tag's end also grants: to whom a partly-invisible moment was closed.
void FeedEngine::on(const read::ContactUntagged& event) {
  set_tagged(event.owner, event.tag_id, event.account_id, false, event.seen);
}

void FeedEngine::set_tagged(const core::AccountId& owner, const std::string& tag_id,
                            const core::AccountId& account, bool is,
                            const eventsourcing::PositionVector& seen) {
  const PersonIndex by = number_of(owner);
  const PersonIndex person = number_of(account);
  const TagIndex tag = graph_.tag(tag_id);
  graph_.set_tagged(by, tag, person, is);
  open(Relation::tagged(tag, person), seen);
}

void FeedEngine::on(const read::TagDeleted& event) {
  const TagIndex tag = graph_.tag(event.tag_id);
  graph_.delete_tag(tag);
  open(Relation::tag_end(tag), event.seen);
}

void FeedEngine::on(const read::MomentSettingChanged& event) {
  const PersonIndex owner = number_of(event.owner);
  const PersonIndex other = number_of(event.other);
  const auto lifted =
      graph_.set_exclusion(owner, other, event.hides_other, event.hidden_from_other);
  if (event.hides_other) lose(owner, Loss::Wanted);
  if (lifted.hides) open(Relation::hides(owner, other), event.seen);
  if (lifted.hidden_from) open(Relation::hidden_from(owner, other), event.seen);
}

void FeedEngine::on(const read::GroupJoined& event) {
  set_member(event.group_id, event.account_id, true, event.seen);
}

void FeedEngine::on(const read::GroupLeft& event) {
  set_member(event.group_id, event.account_id, false, event.seen);
}

void FeedEngine::set_member(const std::string& group_id, const core::AccountId& account, bool is,
                            const eventsourcing::PositionVector& seen) {
  const PersonIndex person = number_of(account);
  const GroupIndex group = graph_.group(group_id);
  graph_.set_member(group, person, is);
  open(Relation::member(group, person), seen);
}

void FeedEngine::on(const read::GroupDissolved& event) {
  const GroupIndex group = graph_.group(event.group_id);
  graph_.dissolve(group);
  open(Relation::group_end(group), event.seen);
}

void FeedEngine::on(const read::MomentPublished& event) {
  const PersonIndex author = number_of(event.author);
  if (moments_.find(event.id) != nullptr) return;
  MomentFacts facts;
  facts.id = event.id;
  facts.author = author;
  facts.audience = event.audience;
  if (event.lists != AudienceLists{}) {
    facts.lists = std::make_unique<ListedPeople>();
    for (const auto& id : event.lists.group_ids) facts.lists->groups.push_back(graph_.group(id));
    for (const auto& id : event.lists.tag_ids) facts.lists->tags.push_back(graph_.tag(id));
    for (const auto& id : event.lists.user_ids) facts.lists->users.push_back(number_of(id));
  }
  facts.held = is_held({.moment = event.id}, event.seen);
  const std::size_t deliveries = fan_out(moments_.add(std::move(facts)));
  if (options_.on_fan_out) options_.on_fan_out({event.published_at, deliveries});
}

// Its text lies in the tables, under the number of the edit: a reader is told up to which one.
void FeedEngine::on(const read::MomentEdited& event) {
  const bool held = is_held({.moment = event.id, .edit = event.edit}, event.seen);
  interactions_.add_edit(event.id, event.edit, held);
}

void FeedEngine::on(const read::MomentDeleted& event) {
  if (anything_held_) holdback_.drop({.moment = event.id});
  moments_.remove(event.id);
}

// What belongs to a moment may come before it: other streams lie in other logs.
void FeedEngine::on(const read::MomentLiked& event) {
  interactions_.set_liked(event.moment, number_of(event.account), true);
}

void FeedEngine::on(const read::MomentUnliked& event) {
  interactions_.set_liked(event.moment, number_of(event.account), false);
}

void FeedEngine::on(const read::CommentAdded& event) {
  CommentFacts facts;
  facts.id = event.id;
  facts.parent = event.parent.value_or(core::CommentId());
  facts.author = number_of(event.author);
  facts.held = is_held({.moment = event.moment, .comment = event.id}, event.seen);
  interactions_.add_comment(event.moment, facts);
}

void FeedEngine::on(const read::CommentDeleted& event) {
  if (anything_held_) holdback_.drop({.moment = event.moment, .comment = event.id});
  interactions_.remove_comment(event.moment, event.id);
}

bool FeedEngine::is_held(const HeldEntry& entry, const eventsourcing::PositionVector& seen) {
  if (seen.empty()) return false;
  const auto applied = applied_ ? applied_->current() : eventsourcing::PositionVector();
  const bool held = holdback_.hold(entry, seen, applied);
  if (held) anything_held_ = true;
  return held;
}

void FeedEngine::on(const read::MessageSent&) {}
void FeedEngine::on(const read::MessagesRead&) {}

void FeedEngine::on(const read::TimelineSeen& event) {
  core::MomentId& seen = seen_up_to_[number_of(event.reader)];
  seen = std::max(seen, event.up_to);
}

// A held moment is fanned out at once, too: its being held is asked when it is read. Anyone who is
// a contact or a follower and not shut out wants it, so that only the lists are left to be asked.
std::size_t FeedEngine::fan_out(const MomentFacts& moment) {
  if (graph_.is_closed(moment.author)) return 0;
  const People& shut_out = graph_.shut_out_of(moment.author);
  const bool anybody_shut_out = options_.rules.exclusion && !shut_out.empty();
  const auto is_let_in = [&](PersonIndex viewer) {
    return !anybody_shut_out || !shut_out.contains(viewer);
  };
  const auto anybody = [](PersonIndex) { return true; };
  const auto deliver_to = [&](const PeopleArray& people) {
    const auto next = fan_out_prefetcher_.next_viewers();
    return anybody_shut_out ? deliver(moment.id, people, is_let_in, next)
                            : deliver(moment.id, people, anybody, next);
  };
  std::size_t deliveries = deliver(moment.id, {&moment.author, 1}, anybody, {});
  const auto& contacts = graph_.contacts_of(moment.author);
  if (moment.audience == Audience::Public || !options_.rules.audience) {
    deliveries += deliver_to(contacts);
    deliveries += deliver_to(graph_.followers_of(moment.author));
  } else if (moment.audience != Audience::Private) {
    const auto predicates = visibility();
    const auto audience = moment.for_predicates();
    deliveries += deliver(
        moment.id, contacts,
        [&](PersonIndex viewer) {
          return is_let_in(viewer) && predicates.may_see(viewer, audience);
        },
        fan_out_prefetcher_.next_viewers());
  }
  return deliveries;
}

// The arrays lie anywhere in memory: the processor is told which heads come next, and when they are
// there, to which place of an array each of them leads. Memory would rest during the last
// deliveries: then it is asked for the first places of the next moment.
template <class Accept>
std::size_t FeedEngine::deliver(core::MomentId id, std::span<const PersonIndex> viewers,
                                const Accept& accept, std::span<const PersonIndex> next) {
  constexpr std::size_t kAhead = ViewerTimelines::Full::kAhead;
  const auto full = timelines_.full();
  const std::size_t count = viewers.size();
  const std::size_t first_heads = std::min(2 * kAhead, count);
  const std::size_t first_ends = std::min(kAhead, count);
  const std::size_t told = told_.data() == viewers.data() ? told_.size() : 0;
  for (std::size_t i = told > 0 ? first_heads : 0; i < first_heads; ++i) {
    full.prefetch_head(viewers[i]);
  }
  for (std::size_t i = told; i < first_ends; ++i) full.prefetch_end(viewers[i]);
  if (told > 0) told_ = {};
  std::size_t deliveries = 0;
  const auto deliver_to = [&](PersonIndex viewer) {
    if (!accept(viewer)) return;
    deliveries += full.replace_oldest(viewer, id) || insert(viewer, id) ? 1 : 0;
  };
  std::size_t i = 0;
  for (; i + 2 * kAhead < count; ++i) {
    full.prefetch_head(viewers[i + 2 * kAhead]);
    full.prefetch_end(viewers[i + kAhead]);
    deliver_to(viewers[i]);
  }
  for (; i + kAhead < count; ++i) {
    full.prefetch_end(viewers[i + kAhead]);
    deliver_to(viewers[i]);
  }
  // What the contacts' delivery has asked for, the followers' need not.
  std::size_t coming = told_.data() == next.data() ? std::min(told_.size(), next.size()) : 0;
  for (; i < count; ++i) {
    if (coming < next.size()) full.prefetch_end(next[coming++]);
    deliver_to(viewers[i]);
  }
  if (coming > 0) told_ = next.first(coming);
  return deliveries;
}

bool FeedEngine::insert(PersonIndex viewer, core::MomentId id) {
  if (!timelines_.has_room()) make_room(1);
  return timelines_.insert(viewer, id);
}

// Nothing that was before his first event can be for him: an empty array is all of his timeline.
PersonIndex FeedEngine::number_of(const core::AccountId& account) {
  const PersonIndex index = graph_.person(account);
  if (timelines_.size() < graph_.people()) {
    timelines_.resize(graph_.people());
    if (!kept_[shard_of(account)]) timelines_.cool_down(index);
  }
  return index;
}

void FeedEngine::open(const Relation& relation, const eventsourcing::PositionVector& seen) {
  if (is_held({.relation = relation}, seen)) {
    graph_.unsettle(relation);
  } else {
    grant_by(relation);
  }
}

void FeedEngine::grant_by(const Relation& relation) {
  using enum Relation::Kind;
  const PersonIndex one{relation.one};
  const PersonIndex other{relation.other};
  const TagIndex tag{relation.one};
  const GroupIndex group{relation.one};
  switch (relation.kind) {
    case None:
      return;
    case Contacts:
      grant(one, other, Grant::Contact);
      return grant(other, one, Grant::Contact);
    case Follows:
      return grant(one, other, Grant::Follow);
    case Hides:
      return grant(one, other, Grant::Wanted);
    case HiddenFrom:
      return grant(other, one, Grant::Allowed);
    case Tagged: {
      const bool is = graph_.tagged_with(tag).contains(other);
      return grant(other, graph_.owner_of(tag), is ? Grant::Tag : Grant::Untag);
    }
    case TagEnd:
      for (const PersonIndex person : graph_.maybe_tagged_with(tag)) {
        grant(person, graph_.owner_of(tag), Grant::TagEnd);
      }
      return;
    case Member: {
      const bool is = graph_.ever_kept_members(group).contains(other);
      return grant_by_group(other, group, is ? Grant::Join : Grant::Leave);
    }
    case GroupEnd:
      for (const PersonIndex person : graph_.maybe_kept_members(group)) {
        grant_by_group(person, group, Grant::GroupEnd);
      }
      return;
  }
}

// Who has a cold array gets everything of now when it is made.
void FeedEngine::grant(PersonIndex viewer, PersonIndex author, Grant cause) {
  if (options_.ignores(cause) || moments_.of_author(author).empty()) return;
  if (timelines_.is_cold(viewer)) return;
  shard_at(viewer).pending[viewer].insert(author);
}

void FeedEngine::grant_by_group(PersonIndex viewer, GroupIndex group, Grant cause) {
  for (const PersonIndex author : moments_.authors_naming(group)) {
    if (graph_.are_contacts(viewer, author)) grant(viewer, author, cause);
  }
}

void FeedEngine::lose(PersonIndex viewer, Loss cause) {
  if (!options_.ignores(cause)) timelines_.mark_stale(viewer);
}

void FeedEngine::keep(const ShardSet& shards) {
  ShardSet lost;
  {
    const std::unique_lock lock(mutex_);
    lost = kept_ & ~shards;
    kept_ = shards;
  }
  // From here on nothing becomes warm in them.
  constexpr std::size_t kAtOnce = 8'192;
  for (std::size_t first = 0; lost.any() && first < people(); first += kAtOnce) {
    cool_down(lost, first, kAtOnce);
  }
}

void FeedEngine::make_room(std::size_t arrays) {
  const auto cold = timelines_.make_room(arrays);
  for (const PersonIndex viewer : cold) shard_at(viewer).pending.erase(viewer);
  count_evictions(cold.size());
}

void FeedEngine::count_evictions(std::size_t evictions) {
  evictions_ += evictions;
  if (options_.on_evictions) options_.on_evictions(evictions);
}

std::size_t FeedEngine::people() const {
  const std::shared_lock lock(mutex_);
  return graph_.people();
}

// As a reader: the writer has to wait for few people, and readers of other shards for none.
void FeedEngine::cool_down(const ShardSet& shards, std::size_t first, std::size_t count) {
  const std::shared_lock lock(mutex_);
  std::vector<std::unique_lock<std::mutex>> locks;
  for (std::size_t shard = 0; shard < kShards; ++shard) {
    if (shards[shard]) locks.emplace_back((*shards_)[shard].mutex);
  }
  const std::size_t end = std::min(first + count, graph_.people());
  for (std::size_t number = first; number < end; ++number) {
    const auto viewer = static_cast<PersonIndex>(number);
    if (!shards[shard_number(viewer)]) continue;
    timelines_.cool_down(viewer);
    shard_at(viewer).pending.erase(viewer);
  }
}

}  // namespace tideline::feed
