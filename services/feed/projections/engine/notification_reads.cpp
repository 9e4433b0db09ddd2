// FeedReader's answer to whether somebody may be told of what concerns him: the same rules by which
// he would meet it under a moment, or know it of the person.
#include <shared_mutex>

#include "feed/projections/engine/feed_reader.hpp"

namespace tideline::feed {
namespace {

// Whoever has it in his list has written, or reported, what moderators have decided on. He is told
// of it also when it is gone or not for him any more; nobody is named.
bool is_of_moderators(NotificationKind kind) {
  return kind == NotificationKind::Removed || kind == NotificationKind::ReportDecided ||
         kind == NotificationKind::Hidden;
}

}  // namespace

std::vector<bool> FeedReader::tells(const core::AccountId& owner_id,
                                    std::span<const Doing> doings) const {
  grants_.release_due();
  const std::shared_lock lock(state_.mutex);
  const PersonIndex owner = graph_.find_person(owner_id);
  std::vector<bool> told;
  told.reserve(doings.size());
  for (const Doing& doing : doings) {
    if (is_of_moderators(doing.kind)) {
      told.push_back(true);
      continue;
    }
    const PersonIndex actor = graph_.find_person(doing.actor);
    told.push_back(doing.moment == core::MomentId() ? tells_between(owner, actor, doing.kind)
                                                    : tells_under_moment(owner, actor, doing));
  }
  return told;
}

bool FeedReader::tells_under_moment(PersonIndex owner, PersonIndex actor,
                                    const Doing& doing) const {
  const MomentFacts* moment = find_for(owner, doing.moment);
  if (moment == nullptr) return false;
  const MomentInteractions& interactions = interactions_.of(doing.moment);
  if (doing.kind == NotificationKind::Like) {
    return moment->author == owner && holds(interactions.likers, actor) &&
           state_.visibility().may_meet(owner, actor, moment->author);
  }
  const bool is_moment =
      doing.kind == NotificationKind::Repost || doing.kind == NotificationKind::Mention;
  if (is_moment && doing.comment == core::CommentId()) {
    return moment->author == actor;
  }
  const CommentFacts* comment = interactions.find(doing.comment);
  if (comment == nullptr || !meets(owner, *comment, *moment)) return false;
  if (doing.kind == NotificationKind::Comment) return moment->author == owner;
  if (doing.kind == NotificationKind::Mention) return true;
  const CommentFacts* parent = interactions.find(comment->parent);
  return doing.kind == NotificationKind::Reply && parent != nullptr && parent->author == owner &&
         meets(owner, *parent, *moment);
}

// Either may be somebody whom no event of the engine's has named: nothing has come between them.
bool FeedReader::tells_between(PersonIndex owner, PersonIndex actor, NotificationKind kind) const {
  if (graph_.is_closed(actor) || graph_.are_apart(owner, actor)) return false;
  switch (kind) {
    case NotificationKind::Follow:
      return graph_.is_following(actor, owner);
    case NotificationKind::ContactRequest:
      return !graph_.are_contacts(owner, actor);
    case NotificationKind::Contact:
      return graph_.are_contacts(owner, actor);
    case NotificationKind::Like:
    case NotificationKind::Comment:
    case NotificationKind::Reply:
    case NotificationKind::Removed:
    case NotificationKind::ReportDecided:
    case NotificationKind::Mention:
    case NotificationKind::Repost:
    case NotificationKind::Hidden:
      break;
  }
  return false;
}

}  // namespace tideline::feed
