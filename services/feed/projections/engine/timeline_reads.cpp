// FeedReader's queries of moments; interaction_reads.cpp has those of what lies under them.
#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <shared_mutex>

#include "feed/projections/engine/feed_reader.hpp"

namespace tideline::feed {
namespace {

constexpr core::MomentId kAboveAll{std::numeric_limits<std::uint64_t>::max()};
constexpr core::MomentId kBelowAll{0};
constexpr std::size_t kLookedAtPerPlace = 8;
// A page searches among them for each of its authors, so all lines of most people's are asked for.
constexpr std::size_t kSearchedContacts = 512;

core::MomentId first_id_of(const std::chrono::year_month& month) {
  return core::first_moment_id(std::chrono::sys_days(month / 1));
}

core::MomentId id_of(const MomentFacts* moment) { return moment->id; }
core::MomentId id_of(core::MomentId id) { return id; }

// `older` and `newer` give at most n visible ones below / above the bound, nearest first.
template <class Moment, class Older, class Newer>
FeedReader::FoundPage<Moment> find_page(const PlaceInTimeline& place, std::size_t limit,
                                        const Older& older, const Newer& newer) {
  FeedReader::FoundPage<Moment> page;
  std::vector<Moment>& found = page.moments;
  if (place.newer_than) {
    found = newer(*place.newer_than, limit + 1);
    page.has_newer = found.size() > limit;
    if (page.has_newer) found.pop_back();
    std::reverse(found.begin(), found.end());
    page.has_older = !found.empty() && !older(id_of(found.back()), 1).empty();
  } else {
    found = older(place.older_than.value_or(kAboveAll), limit + 1);
    page.has_older = found.size() > limit;
    if (page.has_older) found.pop_back();
    // Anyone who asks for the newest has got them.
    page.has_newer = place.older_than && !found.empty() && !newer(id_of(found.front()), 1).empty();
  }
  return page;
}

}  // namespace

TimelinePage FeedReader::timeline(const core::AccountId& viewer_id, const PlaceInTimeline& place,
                                  std::size_t limit) const {
  make_room();
  return read_page(
      viewer_id, place, limit,
      [&](auto viewer, auto bound, auto n, Looks& looks) {
        return timeline_older(viewer, bound, n, looks);
      },
      [&](auto viewer, auto bound, auto n, Looks& looks) {
        return timeline_newer(viewer, bound, n, looks);
      });
}

TimelineIds FeedReader::newest_ids(const core::AccountId& viewer_id, std::size_t limit) const {
  grants_.release_due();
  make_room();
  const auto older = [&](auto viewer, auto bound, auto n, Looks& looks) {
    return timeline_older(viewer, bound, n, looks);
  };
  TimelineIds newest{read_in_pieces(viewer_id, kAboveAll, limit + 1, older), false};
  newest.has_older = newest.ids.size() > limit;
  if (newest.has_older) newest.ids.pop_back();
  return newest;
}

TimelinePage FeedReader::moments_of(const core::AccountId& author_id,
                                    const core::AccountId& viewer_id, const PlaceInTimeline& place,
                                    std::size_t limit,
                                    const std::optional<std::chrono::year_month>& month) const {
  IdSpan span{kBelowAll, kAboveAll};
  if (month) span = {first_id_of(*month), first_id_of(*month + std::chrono::months(1))};
  const auto read = [&](AuthorMerge::Direction direction) {
    return [&, direction](PersonIndex viewer, core::MomentId bound, std::size_t n, Looks& looks) {
      const PersonIndex author = graph_.find_person(author_id);
      return read_author(author, viewer, span, bound, direction, n, looks);
    };
  };
  return read_page(viewer_id, place, limit, read(AuthorMerge::Direction::Older),
                   read(AuthorMerge::Direction::Newer));
}

std::vector<std::chrono::year_month> FeedReader::months_of(const core::AccountId& author_id,
                                                           const core::AccountId& viewer_id) const {
  grants_.release_due();
  std::vector<std::chrono::year_month> months;
  // From the newest of each month to what lies before that month.
  core::MomentId bound = kAboveAll;
  while (true) {
    const std::shared_lock lock(state_.mutex);
    Looks looks = this->looks();
    const auto newest =
        read_author(graph_.find_person(author_id), graph_.find_person(viewer_id),
                    {kBelowAll, kAboveAll}, bound, AuthorMerge::Direction::Older, 1, looks);
    if (newest.empty() && !looks.too_few) return months;
    if (newest.empty()) {
      bound = looks.stopped_at.value();
      continue;
    }
    const std::chrono::year_month_day day(core::utc_day(core::time_of(newest.front()->id)));
    months.push_back(day.year() / day.month());
    bound = first_id_of(months.back());
  }
}

UnreadMoments FeedReader::unread(const core::AccountId& viewer_id, std::size_t max) const {
  constexpr std::size_t kAtOnce = 128;
  grants_.release_due();
  make_room();
  UnreadMoments unread;
  std::optional<core::MomentId> bound;
  while (true) {
    const std::shared_lock lock(state_.mutex);
    const PersonIndex viewer = graph_.find_person(viewer_id);
    if (viewer == GraphMemory::kStranger) return unread;
    if (!bound) {
      const auto seen = state_.memory.seen_up_to.find(viewer);
      if (seen != state_.memory.seen_up_to.end()) unread.seen_up_to = seen->second;
      bound = unread.seen_up_to.value_or(kBelowAll);
    }
    Looks looks = this->looks();
    const Moments found = timeline_newer(viewer, *bound, kAtOnce, looks);
    for (const MomentFacts* moment : found) {
      if (moment->author == viewer) continue;
      unread.more = unread.count == max;
      if (unread.more) return unread;
      ++unread.count;
    }
    if (!looks.too_few && found.size() < kAtOnce) return unread;
    bound = looks.too_few ? looks.stopped_at.value() : found.back()->id;
  }
}

std::optional<TimelineEntry> FeedReader::find_visible(core::MomentId id,
                                                      const core::AccountId& viewer_id) const {
  grants_.release_due();
  const std::shared_lock lock(state_.mutex);
  const PersonIndex viewer = graph_.find_person(viewer_id);
  const MomentFacts* moment = moments_.find(id);
  if (moment == nullptr || !is_visible(viewer, *moment)) return std::nullopt;
  return entry_of(viewer, *moment);
}

std::vector<TimelineEntry> FeedReader::find_all_visible(std::span<const core::MomentId> ids,
                                                        const core::AccountId& viewer_id) const {
  grants_.release_due();
  const std::shared_lock lock(state_.mutex);
  const PersonIndex viewer = graph_.find_person(viewer_id);
  std::vector<TimelineEntry> visible;
  for (const core::MomentId id : ids) {
    const MomentFacts* moment = moments_.find(id);
    if (moment != nullptr && is_visible(viewer, *moment)) {
      visible.push_back(entry_of(viewer, *moment));
    }
  }
  return visible;
}

std::vector<core::AccountId> FeedReader::confided_by(const core::AccountId& viewer_id) const {
  const std::shared_lock lock(state_.mutex);
  std::vector<core::AccountId> authors{viewer_id};
  const PersonIndex viewer = graph_.find_person(viewer_id);
  if (viewer == GraphMemory::kStranger) return authors;
  for (const PersonIndex contact : graph_.contacts_of(viewer)) {
    authors.push_back(graph_.account_of(contact));
  }
  return authors;
}

std::optional<core::AccountId> FeedReader::find_author(core::MomentId id,
                                                       const core::AccountId& viewer_id) const {
  grants_.release_due();
  const std::shared_lock lock(state_.mutex);
  const MomentFacts* moment = moments_.find(id);
  if (moment == nullptr || !is_visible(graph_.find_person(viewer_id), *moment)) return std::nullopt;
  return graph_.account_of(moment->author);
}

bool FeedReader::are_tags_of(const core::AccountId& owner,
                             std::span<const std::string> tag_ids) const {
  const std::shared_lock lock(state_.mutex);
  const PersonIndex person = graph_.find_person(owner);
  return std::ranges::all_of(tag_ids, [&](const std::string& tag_id) {
    const auto tag = graph_.find_tag(tag_id);
    return tag && person != GraphMemory::kStranger && graph_.owner_of(*tag) == person &&
           !graph_.is_deleted(*tag);
  });
}

bool FeedReader::is_visible(PersonIndex viewer, const MomentFacts& moment) const {
  if ((moment.held || moment.hidden) && viewer != moment.author) return false;
  const auto predicates = state_.visibility();
  if (!predicates.may_see(viewer, moment.for_predicates())) return false;
  return !moment.named || std::ranges::all_of(moment.named->earlier, [&](const auto& earlier) {
    return predicates.may_see(viewer, moment.for_predicates(earlier));
  });
}

bool FeedReader::is_on_timeline(PersonIndex viewer, const MomentFacts& moment) const {
  return state_.visibility().wants(viewer, moment.author) && is_visible(viewer, moment);
}

ViewerTimeline FeedReader::merged_timeline(PersonIndex viewer, Shard& shard) const {
  const bool was_cold = timelines_.is_cold(viewer);
  const bool is_to_make = was_cold || timelines_.is_stale(viewer);
  if (is_to_make && state_.kept[state_.shard_number(viewer)] && timelines_.has_room()) {
    shard.pending.erase(viewer);
    warm_up(viewer);
    if (!was_cold && timelines_.is_cold(viewer)) state_.count_evictions(1);
  } else if (const auto pending = shard.pending.find(viewer); pending != shard.pending.end()) {
    merge_pending(viewer, pending->second);
    shard.pending.erase(pending);
  }
  timelines_.note_read(viewer);
  const ViewerTimeline timeline = timelines_.of(viewer);
  timeline.prefetch_newest();
  return timeline;
}

void FeedReader::merge_pending(PersonIndex viewer, const People& authors) const {
  const auto predicates = state_.visibility();
  for (const PersonIndex author : authors) {
    if (!predicates.wants(viewer, author)) continue;
    const auto ids = moments_.of_author(author);
    // The floor rises with what is put in, and above everything if there is no room for it.
    for (auto id = ids.rbegin(); id != ids.rend() && *id > timelines_.of(viewer).floor(); ++id) {
      if (predicates.may_see(viewer, moments_.find(*id)->for_predicates())) {
        timelines_.insert(viewer, *id);
      }
    }
  }
  if (timelines_.is_cold(viewer)) state_.count_evictions(1);
}

// What is held is in it, too: that is asked when it is read.
void FeedReader::warm_up(PersonIndex viewer) const {
  const auto predicates = state_.visibility();
  std::vector<core::MomentId> newest;
  AuthorMerge merge = merge_for(viewer, kAboveAll, AuthorMerge::Direction::Older);
  core::MomentId floor = kBelowAll;
  // Whose authors show him little gets a shorter array: readers of his shard wait.
  for (auto left = kLookedAtPerPlace * state_.options.timeline_length_max; !merge.done(); --left) {
    if (left == 0 || newest.size() == state_.options.timeline_length_max) break;
    const core::MomentId id = merge.next();
    floor = merge.done() ? kBelowAll : core::MomentId(id.value() - 1);
    if (predicates.may_see(viewer, moments_.find(id)->for_predicates())) newest.push_back(id);
  }
  std::reverse(newest.begin(), newest.end());
  timelines_.warm_up(viewer, newest, floor);
}

// A moment, what lies under it and who has written it lie anywhere in memory: what a loop asks for,
// the next one looks at. So short are the loops that the processor is in many turns at once, and
// looks up many pages' addresses at the same time, for which even a prefetch waits.
template <class NextId, class Accept>
void FeedReader::read_ahead(std::size_t n, NextId next_id, const Accept& accept, Moments& found,
                            Looks& looks) const {
  constexpr std::size_t kAtOnce = 32;
  std::array<core::MomentId, kAtOnce> ids;
  std::array<const MomentFacts*, kAtOnce> moments;
  while (found.size() < n) {
    if (looks.left == 0) {
      looks.too_few = true;
      return;
    }
    const std::size_t wanted = std::min({kAtOnce, n - found.size(), looks.left});
    std::size_t count = 0;
    for (auto id = next_id(); id; id = next_id()) {
      moments_.prefetch(*id);
      interactions_.prefetch(*id);
      ids[count++] = *id;
      if (count == wanted) break;
    }
    for (std::size_t i = 0; i < count; ++i) {
      moments[i] = moments_.find(ids[i]);
      graph_.prefetch_account(moments[i]->author);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (accept(*moments[i])) found.push_back(moments[i]);
    }
    if (count < wanted) return;
    looks.left -= count;
    looks.stopped_at = ids[count - 1];
  }
}

// Whom he wants is a search among his contacts for each moment, and all of them in the cache.
template <class NextId>
void FeedReader::read_array(PersonIndex viewer, std::size_t n, NextId next_id, Moments& found,
                            Looks& looks) const {
  const auto is_seen = [&](const MomentFacts& moment) { return is_visible(viewer, moment); };
  const auto is_his = [&](const MomentFacts& moment) { return is_on_timeline(viewer, moment); };
  if (!timelines_.is_stale(viewer) && !graph_.is_any_unconfirmed()) {
    return read_ahead(n, next_id, is_seen, found, looks);
  }
  graph_.prefetch_contacts(viewer, kSearchedContacts);
  read_ahead(n, next_id, is_his, found, looks);
}

FeedReader::Moments FeedReader::timeline_older(PersonIndex viewer, core::MomentId bound,
                                               std::size_t n, Looks& looks) const {
  if (viewer == GraphMemory::kStranger) return {};
  timelines_.prefetch_head(viewer);
  graph_.prefetch_account(viewer);
  Moments found;
  found.reserve(n);
  core::MomentId floor;
  {
    Shard& shard = state_.shard_at(viewer);
    const std::lock_guard lock(shard.mutex);
    const ViewerTimeline timeline = merged_timeline(viewer, shard);
    floor = timeline.floor();
    const auto next_id = [&, i = timeline.first_not_below(bound)]() mutable {
      return i > 0 ? std::optional(timeline[--i]) : std::nullopt;
    };
    read_array(viewer, n, next_id, found, looks);
  }
  if (found.size() < n && floor > kBelowAll && !looks.too_few) {
    const core::MomentId above_floor(floor.value() + 1);
    read_merged(viewer, std::min(bound, above_floor), AuthorMerge::Direction::Older, n, found,
                looks);
  }
  return found;
}

FeedReader::Moments FeedReader::timeline_newer(PersonIndex viewer, core::MomentId bound,
                                               std::size_t n, Looks& looks) const {
  if (viewer == GraphMemory::kStranger) return {};
  timelines_.prefetch_head(viewer);
  graph_.prefetch_account(viewer);
  Moments found;
  {
    Shard& shard = state_.shard_at(viewer);
    const std::lock_guard lock(shard.mutex);
    const ViewerTimeline timeline = merged_timeline(viewer, shard);
    if (bound >= timeline.floor()) {
      const auto next_id = [&, i = timeline.first_above(bound)]() mutable {
        return i < timeline.size() ? std::optional(timeline[i++]) : std::nullopt;
      };
      read_array(viewer, n, next_id, found, looks);
      return found;
    }
  }
  read_merged(viewer, bound, AuthorMerge::Direction::Newer, n, found, looks);
  return found;
}

AuthorMerge FeedReader::merge_for(PersonIndex viewer, core::MomentId bound,
                                  AuthorMerge::Direction direction) const {
  const auto predicates = state_.visibility();
  std::vector<std::span<const core::MomentId>> lists;
  const auto add = [&](PersonIndex author) {
    if (predicates.wants(viewer, author)) lists.push_back(moments_.of_author(author));
  };
  add(viewer);
  const PeopleArray& contacts = graph_.contacts_of(viewer);
  for (const PersonIndex author : contacts) add(author);
  for (const PersonIndex author : graph_.followees_of(viewer)) {
    if (!holds(contacts, author)) add(author);
  }
  return {lists, bound, direction};
}

void FeedReader::read_merged(PersonIndex viewer, core::MomentId bound,
                             AuthorMerge::Direction direction, std::size_t n, Moments& found,
                             Looks& looks) const {
  read_visible(merge_for(viewer, bound, direction), viewer, n, found, looks);
}

FeedReader::Moments FeedReader::read_author(PersonIndex author, PersonIndex viewer,
                                            const IdSpan& span, core::MomentId bound,
                                            AuthorMerge::Direction direction, std::size_t n,
                                            Looks& looks) const {
  Moments found;
  const auto all = moments_.of_author(author);
  const auto first = std::lower_bound(all.begin(), all.end(), span.from);
  const auto last = std::lower_bound(first, all.end(), span.until);
  read_visible({{std::span(first, last)}, bound, direction}, viewer, n, found, looks);
  return found;
}

void FeedReader::read_visible(AuthorMerge merge, PersonIndex viewer, std::size_t n, Moments& found,
                              Looks& looks) const {
  const auto next_id = [&] { return merge.done() ? std::nullopt : std::optional(merge.next()); };
  read_ahead(
      n, next_id, [&](const MomentFacts& moment) { return is_visible(viewer, moment); }, found,
      looks);
}

TimelinePage FeedReader::read_page(const core::AccountId& viewer_id, const PlaceInTimeline& place,
                                   std::size_t limit, const Reading& older,
                                   const Reading& newer) const {
  grants_.release_due();
  {
    const std::shared_lock lock(state_.mutex);
    const PersonIndex viewer = graph_.find_person(viewer_id);
    Looks looks = this->looks();
    const auto at_once = [&](const Reading& reading) {
      return [&](core::MomentId bound, std::size_t n) { return reading(viewer, bound, n, looks); };
    };
    auto found = find_page<const MomentFacts*>(place, limit, at_once(older), at_once(newer));
    if (!looks.too_few) return make_page(viewer, found);
  }
  const auto in_pieces = [&](const Reading& reading) {
    return [&](core::MomentId bound, std::size_t n) {
      return read_in_pieces(viewer_id, bound, n, reading);
    };
  };
  while (true) {
    const auto ids = find_page<core::MomentId>(place, limit, in_pieces(older), in_pieces(newer));
    const std::shared_lock lock(state_.mutex);
    const PersonIndex viewer = graph_.find_person(viewer_id);
    FoundPage<const MomentFacts*> found{{}, ids.has_older, ids.has_newer};
    for (const core::MomentId id : ids.moments) {
      const MomentFacts* moment = moments_.find(id);
      if (moment != nullptr && is_visible(viewer, *moment)) found.moments.push_back(moment);
    }
    // There is none to go on from where all of them have gone meanwhile.
    if (!found.moments.empty() || ids.moments.empty()) return make_page(viewer, found);
  }
}

TimelinePage FeedReader::make_page(PersonIndex viewer,
                                   const FoundPage<const MomentFacts*>& found) const {
  TimelinePage page;
  page.has_older = found.has_older;
  page.has_newer = found.has_newer;
  page.entries.reserve(found.moments.size());
  for (const MomentFacts* moment : found.moments) page.entries.push_back(entry_of(viewer, *moment));
  return page;
}

std::vector<core::MomentId> FeedReader::read_in_pieces(const core::AccountId& viewer_id,
                                                       core::MomentId bound, std::size_t n,
                                                       const Reading& reading) const {
  std::vector<core::MomentId> ids;
  while (true) {
    const std::shared_lock lock(state_.mutex);
    Looks looks = this->looks();
    const PersonIndex viewer = graph_.find_person(viewer_id);
    for (const MomentFacts* moment : reading(viewer, bound, n - ids.size(), looks)) {
      ids.push_back(moment->id);
    }
    if (!looks.too_few) return ids;
    bound = looks.stopped_at.value();
  }
}

// Some arrays at a time, for it has to wait for all who read.
void FeedReader::make_room() const {
  constexpr std::size_t kAtOnce = 16;
  if (timelines_.has_room()) return;
  const std::unique_lock lock(state_.mutex);
  state_.make_room(std::clamp<std::size_t>(timelines_.arrays_max() / kAtOnce, 1, kAtOnce));
}

}  // namespace tideline::feed
