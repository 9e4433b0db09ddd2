#include "feed/projections/notifications/notification_queries.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace tideline::feed {

const char* const kFindNotificationsSql = R"(
SELECT kind, moment, actor, comment, (extract(epoch FROM at) * 1000000)::bigint, direct FROM (
  SELECT of_kind.* FROM unnest($3::smallint[]) AS wanted (kind)
  CROSS JOIN LATERAL (
    SELECT kind, moment, actor, comment, at, direct FROM notification
    WHERE owner = $1::uuid AND kind = wanted.kind AND direct AND at < $7::timestamptz
      AND actor <> ALL ($5::uuid[]) AND moment <> ALL ($6::bigint[])
    ORDER BY at DESC LIMIT $8) AS of_kind
  UNION ALL
  SELECT of_contact.* FROM unnest($4::uuid[]) AS contact (account)
  CROSS JOIN LATERAL (
    SELECT kind, moment, actor, comment, at, direct FROM notification
    WHERE owner = $1::uuid AND actor = contact.account AND NOT direct AND at < $7::timestamptz
      AND kind = ANY ($2::smallint[]) AND moment <> ALL ($6::bigint[])
    ORDER BY at DESC LIMIT $9) AS of_contact) AS found
ORDER BY at DESC, kind, moment, actor, comment LIMIT $10)";

namespace {

constexpr std::array kAllKinds{
    NotificationKind::Like,    NotificationKind::Comment,        NotificationKind::Reply,
    NotificationKind::Follow,  NotificationKind::ContactRequest, NotificationKind::Contact,
    NotificationKind::Removed, NotificationKind::ReportDecided,  NotificationKind::Mention,
    NotificationKind::Repost,  NotificationKind::Hidden};

bool can_be_direct(NotificationKind kind) {
  return kind != NotificationKind::Like && kind != NotificationKind::Comment;
}

NotificationRow row_of(const sql::Row& row) {
  return {{static_cast<NotificationKind>(row.integer(0)), row.account(2),
           core::MomentId(static_cast<std::uint64_t>(row.integer(1))),
           core::CommentId(static_cast<std::uint64_t>(row.integer(3)))},
          row.timestamp_us(4),
          row.boolean(5)};
}

// Where a list has been cut off there may be more at that time and before.
class Floor {
 public:
  void add(const NotificationRow& row) {
    const bool is_cut = row.direct ? ++of_kind_[row.doing.kind] == kNotificationsOfKindMax
                                   : ++of_contact_[row.doing.actor] == kNotificationsOfContactMax;
    if (is_cut) raise(row.at);
  }
  void raise(core::Timestamp at) { at_ = at_ ? std::max(*at_, at) : at; }
  const std::optional<core::Timestamp>& at() const { return at_; }

 private:
  std::map<NotificationKind, std::size_t> of_kind_;
  std::map<core::AccountId, std::size_t> of_contact_;
  std::optional<core::Timestamp> at_;
};

}  // namespace

NotificationSetting find_notification_setting(sql::Transaction& transaction,
                                              const core::AccountId& owner) {
  NotificationSetting setting;
  setting.mutes.owner = owner;
  const auto rows = transaction.execute(
      "SELECT (extract(epoch FROM seen_up_to) * 1000000)::bigint, kinds, persons, moments "
      "FROM notification_setting WHERE owner = $1::uuid",
      {owner});
  if (rows.empty()) return setting;
  const sql::Row& row = rows.front();
  if (!row.is_null(0)) setting.seen_up_to = row.timestamp_us(0);
  for (const std::string& kind : row.text_array(1)) {
    setting.mutes.kinds.push_back(static_cast<NotificationKind>(std::stoi(kind)));
  }
  for (const std::string& person : row.text_array(2)) {
    setting.mutes.persons.push_back(core::AccountId::parse_uuid(person).value());
  }
  for (const std::string& moment : row.text_array(3)) {
    setting.mutes.moments.push_back(core::parse_moment_id(moment).value());
  }
  return setting;
}

std::map<core::AccountId, std::int64_t> find_notification_changes(
    sql::Transaction& transaction, std::span<const core::AccountId> owners) {
  std::map<core::AccountId, std::int64_t> changes;
  for (const sql::Row& row : transaction.execute(
           "SELECT owner, changes FROM notification_change WHERE owner = ANY ($1::uuid[])",
           {std::vector<core::AccountId>(owners.begin(), owners.end())})) {
    changes.emplace(row.account(0), row.integer(1));
  }
  return changes;
}

NotificationRows find_notifications(sql::Transaction& transaction, const core::AccountId& owner,
                                    std::span<const core::AccountId> contacts,
                                    const NotificationsMuted& mutes, core::Timestamp until) {
  std::vector<int> kinds, direct_kinds;
  for (const NotificationKind kind : kAllKinds) {
    if (std::ranges::find(mutes.kinds, kind) != mutes.kinds.end()) continue;
    kinds.push_back(static_cast<int>(kind));
    if (can_be_direct(kind)) direct_kinds.push_back(static_cast<int>(kind));
  }
  std::vector<core::AccountId> heard;
  for (const core::AccountId& contact : contacts) {
    if (!std::ranges::binary_search(mutes.persons, contact)) heard.push_back(contact);
  }
  const auto rows = transaction.execute(
      kFindNotificationsSql,
      {owner, kinds, direct_kinds, heard, mutes.persons, mutes.moments, until,
       kNotificationsOfKindMax, kNotificationsOfContactMax, kNotificationsAtOnce});
  NotificationRows found;
  Floor floor;
  for (const sql::Row& row : rows) {
    found.rows.push_back(row_of(row));
    floor.add(found.rows.back());
  }
  if (found.rows.size() == kNotificationsAtOnce) floor.raise(found.rows.back().at);
  found.floor = floor.at();
  return found;
}

}  // namespace tideline::feed
