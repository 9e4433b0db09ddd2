// Tolerant readers of the events that this service consumes, its own and foreign ones: of each only
// the fields that are used here. What they rely on is written down in schemas/contracts/feed/.
//
// Pure functions, callable from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/event.hpp"
#include "eventsourcing/position_vector.hpp"
#include "feed/domain/message.hpp"
#include "feed/domain/moment.hpp"

namespace tideline::feed::read {

// accounts
struct AccountClosed {
  core::AccountId account;
};

// social-graph. What may show somebody something says what its writer had seen.
struct ContactAccepted {
  core::AccountId from;
  core::AccountId to;
  eventsourcing::PositionVector seen{};
};
struct ContactRemoved {
  core::AccountId by;
  core::AccountId other;
};
struct Followed {
  core::AccountId follower;
  core::AccountId followee;
  eventsourcing::PositionVector seen{};
};
struct Unfollowed {
  core::AccountId follower;
  core::AccountId followee;
};
struct ContactTagged {
  core::AccountId owner;
  std::string tag_id;
  core::AccountId account;
  eventsourcing::PositionVector seen{};
};
struct ContactUntagged {
  core::AccountId owner;
  std::string tag_id;
  core::AccountId account;
  eventsourcing::PositionVector seen{};
};
struct TagDeleted {
  std::string tag_id;
  eventsourcing::PositionVector seen{};
};
struct MomentSettingChanged {
  core::AccountId owner;
  core::AccountId other;
  bool hides_other = false;        // owner does not want to see other
  bool hidden_from_other = false;  // owner does not want to be seen by other
  eventsourcing::PositionVector seen{};
};
struct GroupJoined {
  std::string group_id;
  core::AccountId account;
  eventsourcing::PositionVector seen{};
};
struct GroupLeft {
  std::string group_id;
  core::AccountId account;
  eventsourcing::PositionVector seen{};
};
struct GroupDissolved {
  std::string group_id;
  eventsourcing::PositionVector seen{};
};

// feed
struct MomentPublished {
  core::MomentId id;
  core::AccountId author;
  Audience audience = Audience::Private;
  AudienceLists lists;
  std::string sealed_content;
  std::vector<std::string> images;
  core::Timestamp published_at;
  eventsourcing::PositionVector seen;
};
struct MomentEdited {
  core::MomentId id;
  core::AccountId author;
  std::uint32_t edit = 0;  // 1 for the first
  std::string sealed_content;
  core::Timestamp edited_at;
  eventsourcing::PositionVector seen;
};
struct MomentDeleted {
  core::MomentId id;
  core::AccountId author;
};
struct MomentLiked {
  core::MomentId moment;
  core::AccountId account;
  core::Timestamp liked_at;
};
struct MomentUnliked {
  core::MomentId moment;
  core::AccountId account;
};
struct CommentAdded {
  core::MomentId moment;
  core::AccountId moment_author;
  core::CommentId id;
  std::optional<core::CommentId> parent;
  core::AccountId author;
  std::string sealed_text;
  core::Timestamp written_at;
  eventsourcing::PositionVector seen;
};
struct CommentDeleted {
  core::MomentId moment;
  core::CommentId id;
  core::AccountId author;
  core::AccountId by;
};
struct MessageSent {
  core::AccountId sender;
  std::optional<core::AccountId> recipient;
  std::optional<std::string> group_id;
  std::vector<core::AccountId> recipients;
  std::string sealed_text;
  core::Timestamp sent_at;
  eventsourcing::PositionVector seen;
};

struct MessagesRead {
  core::AccountId reader;
  std::vector<MessageKey> messages;
};
struct TimelineSeen {
  core::AccountId reader;
  core::MomentId up_to;
};

using Event = std::variant<AccountClosed, ContactAccepted, ContactRemoved, Followed, Unfollowed,
                           ContactTagged, ContactUntagged, TagDeleted, MomentSettingChanged,
                           GroupJoined, GroupLeft, GroupDissolved, MomentPublished, MomentEdited,
                           MomentDeleted, MomentLiked, MomentUnliked, CommentAdded, CommentDeleted,
                           MessageSent, MessagesRead, TimelineSeen>;

// nullopt: an event that this service does not use. Throws eventsourcing::PoisonEvent when a field
// is missing or cannot be what it should.
std::optional<Event> read_event(const eventsourcing::RecordedEvent& event);

// All that it uses, as "feed/MomentPublished".
const std::set<std::string>& event_types();

}  // namespace tideline::feed::read
