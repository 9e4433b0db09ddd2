// What queries ask of the feed engine, and what they get: numbers and ids alone, no texts or names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "core/time_ordered_id.hpp"
#include "feed/domain/notification_mutes.hpp"

namespace tideline::feed {

// At most one of both.
struct PlaceInTimeline {
  std::optional<core::MomentId> older_than;
  std::optional<core::MomentId> newer_than;  // the nearest ones
};

// A moment as one viewer is to see it.
struct TimelineEntry {
  core::MomentId id;
  core::AccountId author;
  std::uint32_t edits = 0;             // its text is the last one's
  std::uint32_t audience_changes = 0;  // and so is its audience
  std::size_t likes = 0;               // those that the viewer meets, as are the comments
  std::size_t comments = 0;
  bool liked = false;  // by the viewer
  bool bookmarked = false;
  bool hidden = false;  // from all but the viewer, who has written it

  friend bool operator==(const TimelineEntry&, const TimelineEntry&) = default;
};

struct CommentEntry {
  core::CommentId id;
  core::AccountId author;
  std::optional<core::CommentId> parent;  // if there is one that the viewer may see
  bool hidden = false;                    // from all but the viewer, who has written it

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

// What somebody has done that concerns another.
struct Doing {
  NotificationKind kind = NotificationKind::Like;
  core::AccountId actor;    // all zero: of moderators nobody is named
  core::MomentId moment;    // 0: it is under none
  core::CommentId comment;  // 0: it is none
};

// Ids alone, without what lies under the moments.
struct TimelineIds {
  std::vector<core::MomentId> ids;  // newest first
  bool has_older = false;
};

}  // namespace tideline::feed
