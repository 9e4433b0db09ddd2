// FeedReader's queries of the likes, comments and edits of a moment. Who may not see the moment
// meets nothing under it; the rest is asked of each writer.
#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "feed/projections/engine/feed_reader.hpp"

namespace tideline::feed {

TimelineEntry FeedReader::entry_of(PersonIndex viewer, const MomentFacts& moment) const {
  const MomentInteractions& interactions = interactions_.of(moment.id);
  TimelineEntry entry{.id = moment.id,
                      .author = graph_.account_of(moment.author),
                      .edits = interactions.edits_shown_to(viewer == moment.author),
                      .audience_changes = moment.audience_changes,
                      .hidden = moment.hidden};
  if (!interactions.likers.empty()) {
    const auto likers = met_likers(viewer, moment, interactions);
    entry.likes = likers.size();
    entry.liked = std::ranges::find(likers, viewer) != likers.end();
  }
  entry.bookmarked = holds(interactions.bookmarkers, viewer);
  entry.comments = met_comments(viewer, moment, interactions).size();
  return entry;
}

std::optional<std::vector<core::AccountId>> FeedReader::likers_of(
    core::MomentId id, const core::AccountId& viewer_id) const {
  grants_.release_due();
  const std::shared_lock lock(state_.mutex);
  const PersonIndex viewer = graph_.find_person(viewer_id);
  const MomentFacts* moment = find_for(viewer, id);
  if (moment == nullptr) return std::nullopt;
  std::vector<core::AccountId> accounts;
  for (const PersonIndex liker : met_likers(viewer, *moment, interactions_.of(id))) {
    accounts.push_back(graph_.account_of(liker));
  }
  return accounts;
}

std::optional<sql::Slice<CommentEntry>> FeedReader::comments_of(core::MomentId id,
                                                                const core::AccountId& viewer_id,
                                                                const PlaceInComments& place,
                                                                std::size_t limit) const {
  grants_.release_due();
  const std::shared_lock lock(state_.mutex);
  const PersonIndex viewer = graph_.find_person(viewer_id);
  const MomentFacts* moment = find_for(viewer, id);
  if (moment == nullptr) return std::nullopt;

  const MomentInteractions& interactions = interactions_.of(id);
  const auto met = met_comments(viewer, *moment, interactions);
  const auto older_than = [&](core::CommentId bound) {
    return static_cast<std::size_t>(std::ranges::count_if(
        met, [&](const CommentFacts* comment) { return comment->id < bound; }));
  };
  std::size_t begin = 0;
  std::size_t end = met.size();
  if (place.before) {
    end = older_than(*place.before);
    begin = end - std::min(end, limit);
  } else {
    if (place.after) begin = older_than(core::CommentId(place.after->value() + 1));
    end = begin + std::min(end - begin, limit);
  }
  sql::Slice<CommentEntry> slice{{}, begin > 0, end < met.size()};
  for (std::size_t i = begin; i < end; ++i) {
    const CommentFacts* parent = interactions.find(met[i]->parent);
    const bool knows_parent = parent != nullptr && meets(viewer, *parent, *moment);
    slice.items.push_back({met[i]->id, graph_.account_of(met[i]->author),
                           knows_parent ? std::optional(parent->id) : std::nullopt,
                           met[i]->hidden});
  }
  if (slice.items.empty()) return sql::Slice<CommentEntry>{};
  return slice;
}

std::size_t FeedReader::count_comments(core::MomentId id) const {
  const std::shared_lock lock(state_.mutex);
  return interactions_.of(id).comments.size();
}

std::optional<core::AccountId> FeedReader::find_commenter(core::MomentId id,
                                                          core::CommentId comment_id,
                                                          const core::AccountId& viewer_id) const {
  grants_.release_due();
  const std::shared_lock lock(state_.mutex);
  const PersonIndex viewer = graph_.find_person(viewer_id);
  const MomentFacts* moment = find_for(viewer, id);
  if (moment == nullptr) return std::nullopt;
  const CommentFacts* comment = interactions_.of(id).find(comment_id);
  if (comment == nullptr || !meets(viewer, *comment, *moment)) return std::nullopt;
  return graph_.account_of(comment->author);
}

const MomentFacts* FeedReader::find_for(PersonIndex viewer, core::MomentId id) const {
  const MomentFacts* moment = moments_.find(id);
  if (moment == nullptr || !state_.options.rules.moment_first) return moment;
  return is_visible(viewer, *moment) ? moment : nullptr;
}

// Asks the fewer ones: those who like it, or those whom the viewer can meet.
std::vector<PersonIndex> FeedReader::met_likers(PersonIndex viewer, const MomentFacts& moment,
                                                const MomentInteractions& interactions) const {
  const PeopleArray& likers = interactions.likers;
  const PeopleArray& contacts = graph_.contacts_of(viewer);
  const auto predicates = state_.visibility();
  std::vector<PersonIndex> met;
  const auto ask = [&](PersonIndex liker) {
    if (predicates.may_meet(viewer, liker, moment.author)) met.push_back(liker);
  };
  if (likers.size() <= contacts.size() + 2) {
    for (const PersonIndex liker : likers) ask(liker);
    return met;
  }
  const auto ask_if_liker = [&](PersonIndex person) {
    if (holds(likers, person)) ask(person);
  };
  for (const PersonIndex contact : contacts) ask_if_liker(contact);
  ask_if_liker(viewer);
  if (moment.author != viewer && !holds(contacts, moment.author)) ask_if_liker(moment.author);
  return met;
}

std::vector<const CommentFacts*> FeedReader::met_comments(
    PersonIndex viewer, const MomentFacts& moment, const MomentInteractions& interactions) const {
  std::vector<const CommentFacts*> met;
  for (const CommentFacts& comment : interactions.comments) {
    if (meets(viewer, comment, moment)) met.push_back(&comment);
  }
  return met;
}

bool FeedReader::meets(PersonIndex viewer, const CommentFacts& comment,
                       const MomentFacts& moment) const {
  if ((comment.held || comment.hidden) && viewer != comment.author) return false;
  return state_.visibility().may_meet(viewer, comment.author, moment.author);
}

}  // namespace tideline::feed
