// Reads what concerns somebody, newest first: candidates, of which the engine says whether the
// owner may be told of them.
//
// Called inside the caller's transaction; throws TransactionFailed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/time_ordered_id.hpp"
#include "feed/domain/notification_mutes.hpp"
#include "feed/projections/engine/feed_pages.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

// At once: of each kind that strangers can do, of each contact, and in all.
inline constexpr std::size_t kNotificationsOfKindMax = 500;
inline constexpr std::size_t kNotificationsOfContactMax = 30;
inline constexpr std::size_t kNotificationsAtOnce = 2000;

struct NotificationSetting {
  core::Timestamp seen_up_to{};  // the beginning of time: he has not looked yet
  NotificationsMuted mutes;
};
NotificationSetting find_notification_setting(sql::Transaction& transaction,
                                              const core::AccountId& owner);

// How often something that concerns each of them has been written, since the table is there; who is
// not in it: never. Two numbers that are the same mean that nothing was written in between.
std::map<core::AccountId, std::int64_t> find_notification_changes(
    sql::Transaction& transaction, std::span<const core::AccountId> owners);

struct NotificationRow {
  Doing doing;
  core::Timestamp at;
  bool direct = false;
};
// Those before `until`, newest first, without what is muted. All that are newer than `floor`, and
// of that time none or some; nullopt: there are no others.
struct NotificationRows {
  std::vector<NotificationRow> rows;
  std::optional<core::Timestamp> floor;
};
NotificationRows find_notifications(sql::Transaction& transaction, const core::AccountId& owner,
                                    std::span<const core::AccountId> contacts,
                                    const NotificationsMuted& mutes, core::Timestamp until);

// Parameters: owner, kinds, kinds that are direct, contacts, muted people, muted moments, `until`,
// and the three limits. For tests that look at its plan.
extern const char* const kFindNotificationsSql;

}  // namespace tideline::feed
