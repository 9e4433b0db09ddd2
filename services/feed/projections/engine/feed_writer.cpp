#include "feed/projections/engine/feed_writer.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <variant>

namespace tideline::feed {

namespace {

constexpr std::string_view kFromStart = "from_start";

}  // namespace

void FeedWriter::use(const read::Event& event, core::Timestamp time) {
  const std::unique_lock lock(state_.mutex);
  time_ = time;
  std::visit([this](const auto& data) { on(data); }, event);
}

void FeedWriter::on(const read::AccountClosed& event) { graph_.close(number_of(event.account)); }

void FeedWriter::on(const read::ContactAccepted& event) {
  const PersonIndex from = number_of(event.from);
  const PersonIndex to = number_of(event.to);
  graph_.set_contacts(from, to, true);
  grants_.open(Relation::contacts(from, to), event.seen);
}

void FeedWriter::on(const read::ContactRemoved& event) {
  const PersonIndex by = number_of(event.by);
  const PersonIndex other = number_of(event.other);
  if (!graph_.set_contacts(by, other, false)) return;
  grants_.lose(by, Loss::Contact);
  grants_.lose(other, Loss::Contact);
}

void FeedWriter::on(const read::Followed& event) {
  const PersonIndex follower = number_of(event.follower);
  const PersonIndex followee = number_of(event.followee);
  graph_.set_follows(follower, followee, true);
  grants_.open(Relation::follows(follower, followee), event.seen);
}

void FeedWriter::on(const read::Unfollowed& event) {
  const PersonIndex follower = number_of(event.follower);
  if (graph_.set_follows(follower, number_of(event.followee), false))
    grants_.lose(follower, Loss::Follow);
}

void FeedWriter::on(const read::ContactTagged& event) {
  set_tagged(event.owner, event.tag_id, event.account_id, true, event.seen);
}

// Losing a tag, a group or a tag's end also grants: to whom a partly-invisible moment was closed.
void FeedWriter::on(const read::ContactUntagged& event) {
  set_tagged(event.owner, event.tag_id, event.account_id, false, event.seen);
}

void FeedWriter::set_tagged(const core::AccountId& owner, const std::string& tag_id,
                            const core::AccountId& account, bool is,
                            const eventsourcing::PositionVector& seen) {
  const PersonIndex by = number_of(owner);
  const PersonIndex person = number_of(account);
  const TagIndex tag = graph_.tag(tag_id);
  graph_.set_tagged(by, tag, person, is);
  grants_.open(Relation::tagged(tag, person), seen);
}

void FeedWriter::on(const read::TagCreated& event) {
  graph_.own_tag(number_of(event.owner), graph_.tag(event.tag_id));
}

void FeedWriter::on(const read::TagDeleted& event) {
  const TagIndex tag = graph_.tag(event.tag_id);
  graph_.delete_tag(tag);
  grants_.open(Relation::tag_end(tag), event.seen);
}

void FeedWriter::on(const read::MomentSettingChanged& event) {
  const PersonIndex owner = number_of(event.owner);
  const PersonIndex other = number_of(event.other);
  const auto lifted =
      graph_.set_exclusion(owner, other, event.hides_other, event.hidden_from_other);
  if (event.hides_other) grants_.lose(owner, Loss::Wanted);
  if (lifted.hides) grants_.open(Relation::hides(owner, other), event.seen);
  if (lifted.hidden_from) grants_.open(Relation::hidden_from(owner, other), event.seen);
}

void FeedWriter::on(const read::PersonBlocked& event) {
  const PersonIndex by = number_of(event.by);
  graph_.set_block(by, number_of(event.other), true);
}

void FeedWriter::on(const read::PersonUnblocked& event) {
  const PersonIndex by = number_of(event.by);
  const PersonIndex other = number_of(event.other);
  if (graph_.set_block(by, other, false)) grants_.open(Relation::blocks(by, other), event.seen);
}

void FeedWriter::on(const read::GroupCreated& event) {
  graph_.open_history(graph_.group(event.group_id), event.history == kFromStart);
}

void FeedWriter::on(const read::GroupHistoryChanged& event) {
  const GroupIndex group = graph_.group(event.group_id);
  const bool is_open = event.history == kFromStart;
  graph_.open_history(group, is_open);
  if (is_open) grants_.open(Relation::history(group), event.seen);
}

void FeedWriter::on(const read::GroupJoined& event) {
  set_member(event.group_id, event.account_id, true, event.seen);
}

void FeedWriter::on(const read::GroupLeft& event) {
  set_member(event.group_id, event.account_id, false, event.seen);
}

void FeedWriter::on(const read::GroupMemberRemoved& event) {
  set_member(event.group_id, event.account_id, false, event.seen);
}

void FeedWriter::set_member(const std::string& group_id, const core::AccountId& account, bool is,
                            const eventsourcing::PositionVector& seen) {
  const PersonIndex person = number_of(account);
  const GroupIndex group = graph_.group(group_id);
  graph_.set_member(group, person, is, time_);
  grants_.open(Relation::member(group, person), seen);
}

void FeedWriter::on(const read::GroupDissolved& event) {
  const GroupIndex group = graph_.group(event.group_id);
  graph_.dissolve(group);
  grants_.open(Relation::group_end(group), event.seen);
}

void FeedWriter::on(const read::MomentPublished& event) {
  const PersonIndex author = number_of(event.author);
  if (moments_.find(event.id) != nullptr) return;
  MomentFacts facts;
  facts.id = event.id;
  facts.author = author;
  facts.audience = event.audience;
  if (event.lists != AudienceLists{}) {
    facts.named = std::make_unique<AudienceFacts>();
    facts.named->lists = listed(event.lists);
  }
  facts.held = grants_.hold({.moment = event.id}, event.seen);
  const std::size_t deliveries = fan_out(moments_.add(std::move(facts)));
  if (state_.options.on_fan_out) state_.options.on_fan_out({event.published_at, deliveries});
}

ListedPeople FeedWriter::listed(const AudienceLists& lists) {
  ListedPeople named;
  for (const auto& id : lists.group_ids) named.groups.push_back(graph_.group(id));
  for (const auto& id : lists.tag_ids) named.tags.push_back(graph_.tag(id));
  for (const auto& id : lists.user_ids) named.users.push_back(number_of(id));
  std::ranges::sort(named.users);
  const auto repeated = std::ranges::unique(named.users);
  named.users.erase(repeated.begin(), repeated.end());
  return named;
}

// Who may see less sees less at once. Who may see more waits for what its writer had seen, as
// readers of a held moment do: it is fanned out at once, too.
void FeedWriter::on(const read::MomentAudienceChanged& event) {
  const MomentFacts* const known = moments_.find(event.id);
  if (known == nullptr || known->deleted || event.change <= known->audience_changes) return;
  const bool held = grants_.hold({.moment = event.id, .audience = event.change}, event.seen);
  const auto* const moment = moments_.change_audience(
      event.id, static_cast<std::uint8_t>(event.change), event.audience, listed(event.lists), held);
  if (!state_.options.ignores(Grant::Audience)) fan_out(*moment);
}

// Its text lies in the tables, under the number of the edit: a reader is told up to which one.
void FeedWriter::on(const read::MomentEdited& event) {
  const bool held = grants_.hold({.moment = event.id, .edit = event.edit}, event.seen);
  interactions_.add_edit(event.id, event.edit, held);
}

// It stays in the arrays, where it is when it is restored: its being hidden is asked when it is
// read.
void FeedWriter::on(const read::MomentHidden& event) {
  grants_.drop({.moment = event.id, .restored = true});
  moments_.set_hidden(event.id, true);
}

void FeedWriter::on(const read::MomentRestored& event) {
  if (grants_.hold({.moment = event.id, .restored = true}, event.seen)) return;
  moments_.set_hidden(event.id, false);
}

void FeedWriter::on(const read::MomentDeleted& event) {
  grants_.drop({.moment = event.id});
  moments_.remove(event.id);
}

// What belongs to a moment may come before it: other streams lie in other logs.
void FeedWriter::on(const read::MomentLiked& event) {
  interactions_.set_liked(event.moment, number_of(event.account), true);
}

void FeedWriter::on(const read::MomentUnliked& event) {
  interactions_.set_liked(event.moment, number_of(event.account), false);
}

void FeedWriter::on(const read::CommentAdded& event) {
  CommentFacts facts;
  facts.id = event.id;
  facts.parent = event.parent.value_or(core::CommentId());
  facts.author = number_of(event.author);
  facts.held = grants_.hold({.moment = event.moment, .comment = event.id}, event.seen);
  interactions_.add_comment(event.moment, facts);
}

void FeedWriter::on(const read::CommentHidden& event) {
  grants_.drop({.moment = event.moment, .comment = event.id, .restored = true});
  interactions_.set_comment_hidden(event.moment, event.id, true);
}

void FeedWriter::on(const read::CommentRestored& event) {
  const HeldEntry entry{.moment = event.moment, .comment = event.id, .restored = true};
  if (grants_.hold(entry, event.seen)) return;
  interactions_.set_comment_hidden(event.moment, event.id, false);
}

void FeedWriter::on(const read::CommentDeleted& event) {
  grants_.drop({.moment = event.moment, .comment = event.id});
  grants_.drop({.moment = event.moment, .comment = event.id, .restored = true});
  interactions_.remove_comment(event.moment, event.id);
}

void FeedWriter::on(const read::MessageSent&) {}
void FeedWriter::on(const read::MessageRecalled&) {}
void FeedWriter::on(const read::MessagesRead&) {}
void FeedWriter::on(const read::GroupMessagesRead&) {}

void FeedWriter::on(const read::TimelineSeen& event) {
  core::MomentId& seen = state_.memory.seen_up_to[number_of(event.reader)];
  seen = std::max(seen, event.up_to);
}

void FeedWriter::on(const read::MomentBookmarked& event) {
  interactions_.set_bookmarked(event.moment, number_of(event.owner), true);
}

void FeedWriter::on(const read::BookmarkRemoved& event) {
  interactions_.set_bookmarked(event.moment, number_of(event.owner), false);
}

// A held moment is fanned out at once, too: its being held is asked when it is read. Anyone who is
// a contact or a follower and not shut out wants it, so that only the lists are left to be asked.
std::size_t FeedWriter::fan_out(const MomentFacts& moment) {
  if (graph_.is_closed(moment.author)) return 0;
  const People& shut_out = graph_.shut_out_of(moment.author);
  const auto& rules = state_.options.rules;
  const bool anybody_shut_out = rules.exclusion && rules.blocks && !shut_out.empty();
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
  if (moment.audience == Audience::Public || !state_.options.rules.audience) {
    deliveries += deliver_to(contacts);
    deliveries += deliver_to(graph_.followers_of(moment.author));
  } else if (moment.audience != Audience::Private) {
    const auto predicates = state_.visibility();
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
std::size_t FeedWriter::deliver(core::MomentId id, std::span<const PersonIndex> viewers,
                                const Accept& accept, std::span<const PersonIndex> next) {
  constexpr std::size_t kAhead = ViewerTimelines::Full::kAhead;
  const auto full = timelines_.full();
  const std::size_t count = viewers.size();
  const std::size_t first_heads = std::min(2 * kAhead, count);
  const std::size_t first_ends = std::min(kAhead, count);
  const std::size_t prefetched = prefetched_.data() == viewers.data() ? prefetched_.size() : 0;
  for (std::size_t i = prefetched > 0 ? first_heads : 0; i < first_heads; ++i) {
    full.prefetch_head(viewers[i]);
  }
  for (std::size_t i = prefetched; i < first_ends; ++i) full.prefetch_end(viewers[i]);
  if (prefetched > 0) prefetched_ = {};
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
  std::size_t coming =
      prefetched_.data() == next.data() ? std::min(prefetched_.size(), next.size()) : 0;
  for (; i < count; ++i) {
    if (coming < next.size()) full.prefetch_end(next[coming++]);
    deliver_to(viewers[i]);
  }
  if (coming > 0) prefetched_ = next.first(coming);
  return deliveries;
}

bool FeedWriter::insert(PersonIndex viewer, core::MomentId id) {
  if (!timelines_.has_room()) state_.make_room(1);
  return timelines_.insert(viewer, id);
}

// Nothing that was before his first event can be for him: an empty array is all of his timeline.
PersonIndex FeedWriter::number_of(const core::AccountId& account) {
  const PersonIndex index = graph_.person(account);
  if (timelines_.size() < graph_.people()) {
    timelines_.resize(graph_.people());
    if (!state_.kept[shard_of(account)]) timelines_.cool_down(index);
  }
  return index;
}

}  // namespace tideline::feed
