#include "feed/subscriptions/push_subscriptions.hpp"

namespace tideline::feed {
namespace {

constexpr const char* kPut = R"(
INSERT INTO push_subscription AS held
  (owner, id, session_id, password_version, target, renewed_at, told_changes, told_up_to, failures,
   next_at)
SELECT $1::uuid, $2, $3, $4::bigint, $5, $6::timestamptz,
       coalesce((SELECT changes FROM notification_change WHERE owner = $1::uuid), 0),
       $6::timestamptz, 0, $6::timestamptz
ON CONFLICT (owner, id) DO UPDATE SET
  session_id = excluded.session_id, password_version = excluded.password_version,
  target = excluded.target, renewed_at = excluded.renewed_at, failures = 0)";

constexpr const char* kMakeRoom = R"(
DELETE FROM push_subscription WHERE owner = $1::uuid AND id IN (
  SELECT id FROM push_subscription WHERE owner = $1::uuid ORDER BY renewed_at DESC, id OFFSET $2))";

constexpr const char* kClaimPushRound = R"(
WITH due AS (
  SELECT held.owner, held.id, coalesce(written.changes, 0) AS changes
  FROM push_subscription AS held LEFT JOIN notification_change AS written USING (owner)
  WHERE held.next_at <= $1::timestamptz AND held.told_changes <> coalesce(written.changes, 0)
  ORDER BY held.next_at LIMIT $3 FOR UPDATE OF held SKIP LOCKED)
UPDATE push_subscription AS held SET next_at = $2::timestamptz
FROM due WHERE held.owner = due.owner AND held.id = due.id
RETURNING held.owner, held.id, held.session_id, held.password_version, held.target,
  (extract(epoch FROM held.renewed_at) * 1000000)::bigint, held.told_changes,
  (extract(epoch FROM held.told_up_to) * 1000000)::bigint, held.failures, due.changes)";

constexpr const char* kWalk = R"(
SELECT owner, id, session_id, password_version, '',
  (extract(epoch FROM renewed_at) * 1000000)::bigint, told_changes,
  (extract(epoch FROM told_up_to) * 1000000)::bigint, failures FROM push_subscription )";

PushSubscription subscription_of(const sql::Row& row) {
  return {row.account(0),
          row.text(1),
          row.text(2),
          static_cast<std::uint32_t>(row.integer(3)),
          row.text(4),
          row.timestamp_us(5),
          row.integer(6),
          row.timestamp_us(7),
          static_cast<int>(row.integer(8))};
}

std::vector<PushSubscription> subscriptions_of(const sql::Rows& rows) {
  std::vector<PushSubscription> found;
  for (const sql::Row& row : rows) found.push_back(subscription_of(row));
  return found;
}

}  // namespace

void put_push_subscription(sql::Transaction& transaction, const PushSubscription& subscription) {
  transaction.execute(kPut, {subscription.owner, subscription.id, subscription.session_id,
                             static_cast<std::int64_t>(subscription.password_version),
                             subscription.sealed_target, subscription.renewed_at});
  transaction.execute(kMakeRoom, {subscription.owner, kPushSubscriptionsMax});
}

std::vector<PushSubscription> list_push_subscriptions(sql::Transaction& transaction,
                                                      const core::AccountId& owner) {
  return subscriptions_of(transaction.execute(
      std::string(kWalk) + "WHERE owner = $1::uuid ORDER BY renewed_at DESC, id", {owner}));
}

bool remove_push_subscription(sql::Transaction& transaction, const core::AccountId& owner,
                              std::string_view id) {
  return !transaction
              .execute(
                  "DELETE FROM push_subscription WHERE owner = $1::uuid AND id = $2 RETURNING id",
                  {owner, id})
              .empty();
}

std::vector<ClaimedPush> claim_push_subscriptions(sql::Transaction& transaction,
                                                  core::Timestamp now, core::Timestamp until,
                                                  std::size_t max) {
  std::vector<ClaimedPush> claimed;
  for (const sql::Row& row : transaction.execute(kClaimPushRound, {now, until, max})) {
    claimed.push_back({subscription_of(row), row.integer(9)});
  }
  return claimed;
}

void settle_push_subscription(sql::Transaction& transaction, const PushSubscription& subscription,
                              core::Timestamp next_at) {
  transaction.execute(
      "UPDATE push_subscription SET told_changes = $3::bigint, told_up_to = $4::timestamptz, "
      "failures = $5::integer, next_at = $6::timestamptz WHERE owner = $1::uuid AND id = $2",
      {subscription.owner, subscription.id, subscription.told_changes, subscription.told_up_to,
       subscription.failures, next_at});
}

std::vector<PushSubscription> walk_push_subscriptions(sql::Transaction& transaction,
                                                      const std::optional<PushPlace>& behind,
                                                      std::size_t max) {
  if (!behind) {
    return subscriptions_of(
        transaction.execute(std::string(kWalk) + "ORDER BY owner, id LIMIT $1", {max}));
  }
  return subscriptions_of(transaction.execute(
      std::string(kWalk) + "WHERE (owner, id) > ($1::uuid, $2) ORDER BY owner, id LIMIT $3",
      {behind->owner, behind->id, max}));
}

}  // namespace tideline::feed
