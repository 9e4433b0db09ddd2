#include "feed/api/notifications/unread_notifications.hpp"

#include <utility>

namespace tideline::feed {

NotificationSetting find_setting(sql::Database& database, const core::AccountId& owner) {
  return core::value_of(database.read_each_alone([&](sql::Transaction& transaction) {
    return find_notification_setting(transaction, owner);
  }));
}

CountedNotifications count_unread(const NotificationWalk::Ports& ports,
                                  const core::AccountId& owner, std::size_t doings_max) {
  NotificationSetting setting = find_setting(ports.database, owner);
  const core::Timestamp seen_up_to = setting.seen_up_to;
  CountedNotifications counted;
  counted.asked.doings_max = doings_max;
  NotificationWalk walk(ports, owner, std::move(setting.mutes), std::nullopt);
  walk.keep_asked(counted.asked, seen_up_to);
  const auto is_unread = [&](const Notification* next) {
    return next != nullptr && next->at > seen_up_to;
  };
  const Notification* next = walk.peek();
  if (is_unread(next)) counted.unread.newest = {next->kind, next->at};
  for (; is_unread(next) && counted.unread.count < kUnreadNotificationsMax; next = walk.peek()) {
    ++counted.unread.count;
    walk.drop();
  }
  const bool is_cut_off = next == nullptr && !walk.has_all() && walk.read_to() > seen_up_to;
  counted.unread.more = is_cut_off || is_unread(next);
  counted.unread.seen_up_to = seen_up_to;
  counted.contacts = walk.contacts();
  return counted;
}

core::Result<UnreadSource::Changes> StoredUnread::find_changes(
    std::span<const core::AccountId> owners) {
  return ports_.database.read_each_alone([&](sql::Transaction& transaction) {
    return find_notification_changes(transaction, owners);
  });
}

core::Result<CountedNotifications> StoredUnread::count(const core::AccountId& owner) {
  try {
    return count_unread(ports_, owner, kDoingsKept);
  } catch (const core::Failed& failed) {
    return failed.error();
  }
}

bool StoredUnread::is_as_counted(const core::AccountId& owner,
                                 const CountedNotifications& counted) {
  return ports_.reader.tells(owner, counted.asked.doings) == counted.asked.told &&
         ports_.reader.confided_by(owner) == counted.contacts;
}

}  // namespace tideline::feed
