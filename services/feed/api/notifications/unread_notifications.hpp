// How many notifications somebody has not looked at, and what that count hangs on, so that whoever
// keeps it notices cheaply when it may be another one.
//
// A count is made of rows, which change with the number of changes that the table keeps for their
// owner, and of what the engine says of them, which is asked again without a look into the tables.
//
// Thread-safe. Blocks on the database, but for is_as_counted().
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "feed/api/notifications/notification_walk.hpp"

namespace tideline::feed {

struct UnreadNotifications {
  std::size_t count = 0;  // up to kUnreadNotificationsMax
  bool more = false;
  core::Timestamp seen_up_to;
  struct Newest {
    NotificationKind kind = NotificationKind::Like;
    core::Timestamp at;
  };
  std::optional<Newest> newest{};  // of those that are unread
};
inline constexpr std::size_t kUnreadNotificationsMax = 100;

struct CountedNotifications {
  UnreadNotifications unread;
  // What the engine has said meanwhile.
  std::vector<core::AccountId> contacts;
  AskedDoings asked;
};

// Throws core::Failed when the database fails, here and below.
NotificationSetting find_setting(sql::Database& database, const core::AccountId& owner);

// `doings_max`: as many of what the engine was asked are kept.
CountedNotifications count_unread(const NotificationWalk::Ports& ports,
                                  const core::AccountId& owner, std::size_t doings_max = 0);

// For those who keep counts.
class UnreadSource {
 public:
  // How often something that concerns the owner has been written; who is not in it: never.
  using Changes = std::map<core::AccountId, std::int64_t>;

  virtual ~UnreadSource() = default;
  virtual core::Result<Changes> find_changes(std::span<const core::AccountId> owners) = 0;
  virtual core::Result<CountedNotifications> count(const core::AccountId& owner) = 0;
  // Whether the engine says the same again. True proves nothing unless counted.asked.is_whole.
  virtual bool is_as_counted(const core::AccountId& owner, const CountedNotifications& counted) = 0;
};

class StoredUnread final : public UnreadSource {
 public:
  // Of what the engine was asked for one owner.
  static constexpr std::size_t kDoingsKept = 1000;

  // Both outlive it.
  explicit StoredUnread(NotificationWalk::Ports ports) : ports_(ports) {}

  core::Result<Changes> find_changes(std::span<const core::AccountId> owners) override;
  core::Result<CountedNotifications> count(const core::AccountId& owner) override;
  bool is_as_counted(const core::AccountId& owner, const CountedNotifications& counted) override;

 private:
  const NotificationWalk::Ports ports_;
};

}  // namespace tideline::feed
