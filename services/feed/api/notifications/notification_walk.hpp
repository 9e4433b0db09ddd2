// Notifications one by one, newest first: what several people have done of one kind under one
// moment, within a day (UTC), is one. Reads ahead a batch at a time, and asks the engine of each
// batch, at one time, what of it the reader may be told: the rest leaves no trace, not even its
// time.
//
// Of a day whose list is cut off, the newest are told: of each contact 30, of each kind that
// strangers can do 500, in all 2,000. So nobody can hide by a crowd what others have done before
// that day.
//
// One thread. Blocks on the database; throws core::Failed when it fails.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "feed/projections/engine/feed_reader.hpp"
#include "feed/projections/notifications/notification_queries.hpp"

namespace tideline::feed {

struct Notification {
  NotificationKind kind = NotificationKind::Like;
  core::MomentId moment;                // 0: it is under none
  core::CommentId comment;              // of the newest doing
  core::Timestamp at;                   // of the newest doing
  std::vector<core::AccountId> people;  // each once, the newest doing's first; no moderators
};

// Where a page ends: behind a notification, or at a time.
struct PlaceInNotifications {
  core::Timestamp at;
  std::optional<NotificationKind> kind{};  // nullopt: what is before that time follows
  core::MomentId moment{};

  static PlaceInNotifications behind(const Notification& notification) {
    return {notification.at, notification.kind, notification.moment};
  }
};
std::string to_string(const PlaceInNotifications& place);
std::optional<PlaceInNotifications> parse_place_in_notifications(std::string_view text);

// What the engine was asked of a list, and what it said, newest first.
struct AskedDoings {
  std::size_t doings_max = 0;
  std::vector<Doing> doings;
  std::vector<bool> told;
  bool is_whole = true;  // false: more were asked than are kept
};

class NotificationWalk {
 public:
  // Batches that one walk may read.
  static constexpr std::size_t kBatchesMax = 8;

  // Both outlive the walk.
  struct Ports {
    sql::Database& database;
    const FeedReader& reader;
  };

  // nullopt: from the newest one.
  NotificationWalk(const Ports& ports, const core::AccountId& owner, NotificationsMuted mutes,
                   const std::optional<PlaceInNotifications>& after);

  // Before the first peek(): keeps in `asked`, which outlives the walk, what the engine is asked of
  // doings that are newer than `since`.
  void keep_asked(AskedDoings& asked, core::Timestamp since) {
    asked_ = &asked;
    asked_since_ = since;
  }
  // Of whom more may be told than what strangers can do.
  const std::vector<core::AccountId>& contacts() const { return contacts_; }

  // nullptr: there is no other one, or as much has been read as may be. Valid until the next call
  // of drop().
  const Notification* peek();
  void drop() { ready_.pop_front(); }
  // Whether there was no other one.
  bool has_all() const { return has_all_; }
  // Everything from that time on has been told.
  core::Timestamp read_to() const { return until_; }

 private:
  void read_batch();
  void keep(const NotificationRow& row, bool is_told);
  bool is_behind_place(const Notification& notification) const;

  const Ports ports_;
  const core::AccountId owner_;
  const NotificationsMuted mutes_;
  const std::optional<PlaceInNotifications> after_;
  const std::vector<core::AccountId> contacts_;
  core::Timestamp until_;
  std::size_t batches_ = 0;
  bool has_all_ = false;
  std::deque<Notification> ready_;
  AskedDoings* asked_ = nullptr;
  core::Timestamp asked_since_;
};

}  // namespace tideline::feed
