// Table push_subscription: browsers that are sent messages. Several instances take from it, each
// what no other one has taken.
//
// Called inside the caller's transaction; throws TransactionFailed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

// Of one account; the one that was not renewed for longest makes room.
inline constexpr std::size_t kPushSubscriptionsMax = 10;
// Pages renew theirs whenever they are opened.
inline constexpr std::chrono::days kPushRenewedWithin{30};

struct PushSubscription {
  core::AccountId owner;
  std::string id;
  std::string session_id;
  std::uint32_t password_version = 0;
  std::string sealed_target;
  core::Timestamp renewed_at;
  std::int64_t told_changes = 0;
  core::Timestamp told_up_to{};
  int failures = 0;
};

// Makes one, or renews it: with another session, another target, and nothing that it was told
// forgotten. A new one knows of all that was written before `renewed_at`.
void put_push_subscription(sql::Transaction& transaction, const PushSubscription& subscription);
// The last renewed first. Without targets.
std::vector<PushSubscription> list_push_subscriptions(sql::Transaction& transaction,
                                                      const core::AccountId& owner);
// False: there is none.
bool remove_push_subscription(sql::Transaction& transaction, const core::AccountId& owner,
                              std::string_view id);

struct ClaimedPush {
  PushSubscription subscription;
  std::int64_t changes = 0;  // of which it does not know yet
};
// Those for whose owners something was written, and that are due; nobody else gets them before
// `until`.
std::vector<ClaimedPush> claim_push_subscriptions(sql::Transaction& transaction,
                                                  core::Timestamp now, core::Timestamp until,
                                                  std::size_t max);
// Keeps what it was told, its failures and when it is due, unless it is gone.
void settle_push_subscription(sql::Transaction& transaction, const PushSubscription& subscription,
                              core::Timestamp next_at);

struct PushPlace {
  core::AccountId owner;
  std::string id;
};
// All of them in order of their keys, behind a place, to look for those that are over.
std::vector<PushSubscription> walk_push_subscriptions(sql::Transaction& transaction,
                                                      const std::optional<PushPlace>& behind,
                                                      std::size_t max);

}  // namespace tideline::feed
