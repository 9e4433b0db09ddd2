#include "feed/api/notifications/push_rounds.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "push/push_message.hpp"

namespace tideline::feed {
namespace {

constexpr std::size_t kSweptAtOnce = 1000;

std::string message_of(const CountedNotifications& counted) {
  return nlohmann::json{{"unread", counted.unread.count},
                        {"more", counted.unread.more},
                        {"kind", to_string(counted.unread.newest->kind)}}
      .dump();
}

std::chrono::seconds pause_after(int failures, const push::PushAnswer& answer) {
  constexpr int kDoublingsMax = 6;
  const std::chrono::seconds grown =
      PushRounds::kFirstPause * (1 << std::min(failures - 1, kDoublingsMax));
  return std::min<std::chrono::seconds>(std::max(grown, answer.retry_after.value_or(grown)),
                                        PushRounds::kPauseMax);
}

}  // namespace

bool PushRounds::round() {
  if (!ports_.freshness.is_fresh()) return true;
  const core::Timestamp now = ports_.clock.now();
  std::vector<ClaimedPush> claimed;
  const auto done = ports_.database.transact([&](sql::Transaction& transaction) {
    claimed = claim_push_subscriptions(transaction, now, now + kClaimedFor, kAtOnce);
  });
  if (!done) return true;
  const bool is_last = claimed.size() < kAtOnce;
  std::vector<Ready> ready;
  for (ClaimedPush& one : claimed) {
    if (auto made = prepare(std::move(one))) ready.push_back(std::move(*made));
  }
  // The engine may have begun anew in between: what was claimed is counted again later.
  if (ready.empty() || !ports_.freshness.is_fresh()) return is_last;
  std::vector<push::PushRequest> requests;
  for (const Ready& one : ready) requests.push_back(one.request);
  const auto answers = ports_.send(requests);
  for (std::size_t i = 0; i < ready.size(); ++i) take(ready[i], answers[i]);
  return is_last;
}

bool PushRounds::is_over(const PushSubscription& subscription) const {
  return subscription.renewed_at + kPushRenewedWithin < ports_.clock.now() ||
         ports_.is_revoked(
             {subscription.owner, {}, subscription.session_id, subscription.password_version});
}

// What the database does not take now is found again: it is claimed anew.
void PushRounds::remove(const PushSubscription& subscription) const {
  (void)ports_.database.transact([&](sql::Transaction& transaction) {
    remove_push_subscription(transaction, subscription.owner, subscription.id);
  });
}

void PushRounds::settle(const PushSubscription& subscription, std::chrono::seconds pause) const {
  (void)ports_.database.transact([&](sql::Transaction& transaction) {
    settle_push_subscription(transaction, subscription, ports_.clock.now() + pause);
  });
}

std::optional<PushRounds::Ready> PushRounds::prepare(ClaimedPush claimed) const {
  PushSubscription& subscription = claimed.subscription;
  if (is_over(subscription)) {
    remove(subscription);
    return std::nullopt;
  }
  const auto counted = ports_.unread.count(subscription.owner);
  if (!counted) return std::nullopt;
  const auto& newest = counted->unread.newest;
  if (!newest || newest->at <= subscription.told_up_to) {
    subscription.told_changes = claimed.changes;
    settle(subscription, std::chrono::seconds(0));
    return std::nullopt;
  }
  const auto target = open(subscription);
  if (!target) return std::nullopt;
  auto request = make_request(*target, *counted);
  if (!request) return std::nullopt;
  return Ready{std::move(claimed), newest->at, std::move(*request)};
}

std::optional<push::PushTarget> PushRounds::open(const PushSubscription& subscription) const {
  const auto text =
      ports_.cipher.open(subscription.owner, subscription.sealed_target, kPushTargetContext);
  if (!text && text.error().retryable) return std::nullopt;
  const std::string stored = text && *text ? **text : "";  // erased
  auto target = push::PushTarget::of_text(stored);
  if (!target || !push::origin_of(target->endpoint, ports_.reach)) {
    remove(subscription);
    return std::nullopt;
  }
  return std::move(*target);
}

std::optional<push::PushRequest> PushRounds::make_request(
    const push::PushTarget& target, const CountedNotifications& counted) const {
  const auto origin = push::origin_of(target.endpoint, ports_.reach);
  if (!origin) return std::nullopt;
  auto authorization = ports_.vapid.authorization(*origin, ports_.clock.now());
  auto body = push::encrypt(target, message_of(counted));
  if (!authorization || !body) return std::nullopt;
  return push::PushRequest{target.endpoint, std::move(*authorization), std::move(*body)};
}

void PushRounds::take(const Ready& sent, const push::PushAnswer& answer) const {
  if (ports_.on_answer) ports_.on_answer(answer.outcome);
  PushSubscription subscription = sent.claimed.subscription;
  const bool is_taken = answer.outcome == push::PushOutcome::Taken;
  subscription.failures = is_taken ? 0 : subscription.failures + 1;
  if (answer.outcome == push::PushOutcome::Gone || subscription.failures >= kFailuresMax) {
    return remove(subscription);
  }
  const bool is_left =
      answer.outcome == push::PushOutcome::Refused || subscription.failures % kAttemptsMax == 0;
  if (is_taken || is_left) {
    subscription.told_changes = sent.claimed.changes;
    subscription.told_up_to = sent.newest;
  }
  settle(subscription, is_taken ? kPause : pause_after(subscription.failures, answer));
}

void PushRounds::sweep() {
  std::optional<PushPlace> behind;
  for (bool more = true; more;) {
    const auto found = ports_.database.read_each_alone([&](sql::Transaction& transaction) {
      return walk_push_subscriptions(transaction, behind, kSweptAtOnce);
    });
    if (!found) return;
    for (const PushSubscription& subscription : *found) {
      if (is_over(subscription)) remove(subscription);
    }
    more = found->size() == kSweptAtOnce;
    if (more) behind = PushPlace{found->back().owner, found->back().id};
  }
}

void PushRounds::run(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  auto swept_at = std::chrono::steady_clock::now();
  while (!stop.stop_requested()) {
    const bool is_done = round();
    if (std::chrono::steady_clock::now() - swept_at >= kSweepEvery) {
      sweep();
      swept_at = std::chrono::steady_clock::now();
    }
    if (!is_done) continue;
    // Nobody asks for this to end but the stop token.
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, kRoundEvery, [] { return false; });
  }
}

}  // namespace tideline::feed
