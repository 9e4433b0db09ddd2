// The events that this service consumes, its own and those of its contracts.
//
// Pure functions, callable from any thread.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <variant>

#include "feed/stored_events.hpp"

namespace tideline::feed::read {

using Event =
    std::variant<AccountClosed, ContactAccepted, ContactRemoved, Followed, Unfollowed,
                 ContactTagged, ContactUntagged, TagCreated, TagDeleted, MomentSettingChanged,
                 PersonBlocked, PersonUnblocked, GroupCreated, GroupHistoryChanged, GroupJoined,
                 GroupLeft, GroupMemberRemoved, GroupDissolved, MomentPublished, MomentEdited,
                 MomentAudienceChanged, MomentHidden, MomentRestored, MomentDeleted, MomentLiked,
                 MomentUnliked, CommentAdded, CommentHidden, CommentRestored, CommentDeleted,
                 MessageSent, MessageRecalled, MessagesRead, GroupMessagesRead, TimelineSeen,
                 MomentBookmarked, BookmarkRemoved>;

// Of these notifications are made, and nothing else.
using ContactRequestEvent =
    std::variant<ContactRequested, ContactDeclined, ContactRequestWithdrawn>;

// nullopt: an event that this service does not use. Throws PoisonEvent for broken data.
inline std::optional<Event> read_event(const eventsourcing::RecordedEvent& event) {
  return eventsourcing::read_any<Event>(event);
}

// All that it uses, as "feed/MomentPublished".
inline const std::set<std::string>& event_types() {
  static const std::set<std::string> types = eventsourcing::types_of<Event>();
  return types;
}

}  // namespace tideline::feed::read
