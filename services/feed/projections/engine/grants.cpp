#include "feed/projections/engine/grants.hpp"

#include <mutex>
#include <shared_mutex>

namespace tideline::feed {

bool Grants::hold(const HeldEntry& entry, const eventsourcing::PositionVector& seen) {
  if (seen.empty()) return false;
  const auto applied = state_.applied ? state_.applied->current() : eventsourcing::PositionVector();
  const bool held = holdback_.hold(entry, seen, applied);
  if (held) state_.anything_held = true;
  return held;
}

void Grants::drop(const HeldEntry& entry) {
  if (state_.anything_held) holdback_.drop(entry);
}

void Grants::open(const Relation& relation, const eventsourcing::PositionVector& seen) {
  if (hold({.relation = relation}, seen)) {
    graph_.unsettle(relation);
  } else {
    grant_by(relation);
  }
}

void Grants::grant_by(const Relation& relation) {
  using enum Relation::Kind;
  const PersonIndex one{relation.one};
  const PersonIndex other{relation.other};
  const TagIndex tag{relation.one};
  const GroupIndex group{relation.one};
  switch (relation.kind) {
    case None:
    case History:  // concerns messages, which are asked for when they are read
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
    case Blocks:
      grant(one, other, Grant::Unblock);
      return grant(other, one, Grant::Unblock);
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
void Grants::grant(PersonIndex viewer, PersonIndex author, Grant cause) {
  if (state_.options.ignores(cause) || moments_.of_author(author).empty()) return;
  if (timelines_.is_cold(viewer)) return;
  state_.shard_at(viewer).pending[viewer].insert(author);
}

void Grants::grant_by_group(PersonIndex viewer, GroupIndex group, Grant cause) {
  for (const PersonIndex author : moments_.authors_naming(group)) {
    if (graph_.are_contacts(viewer, author)) grant(viewer, author, cause);
  }
}

void Grants::lose(PersonIndex viewer, Loss cause) {
  if (!state_.options.ignores(cause)) timelines_.mark_stale(viewer);
}

void Grants::release_due() {
  if (!state_.anything_held || state_.applied == nullptr) return;
  const auto applied = state_.applied->current();
  {
    const std::shared_lock lock(state_.mutex);
    if (!holdback_.is_due(applied)) return;
  }
  const std::unique_lock lock(state_.mutex);
  for (const HeldEntry& entry : holdback_.release(applied)) release(entry);
  state_.anything_held = !holdback_.empty();
}

void Grants::release(const HeldEntry& entry) {
  if (entry.relation != Relation()) {
    graph_.confirm(entry.relation);
    grant_by(entry.relation);
  } else if (entry.restored && entry.comment != core::CommentId()) {
    interactions_.set_comment_hidden(entry.moment, entry.comment, false);
  } else if (entry.restored) {
    moments_.set_hidden(entry.moment, false);
  } else if (entry.comment != core::CommentId()) {
    interactions_.release_comment(entry.moment, entry.comment);
  } else if (entry.edit != 0) {
    interactions_.release_edit(entry.moment, entry.edit);
  } else if (entry.audience != 0) {
    moments_.confirm_audience(entry.moment, entry.audience);
  } else {
    moments_.release(entry.moment);
  }
}

}  // namespace tideline::feed
