// Sends messages to browsers (Web Push) when there are unread notifications of which they do not
// know.
//
// A message says {"unread":3,"more":false,"kind":"comment"}: how many, and of which kind the newest
// one is. No names, no texts, no ids: it lies at a push service of somebody else's, though
// encrypted, and on a screen that others may see. It is made of what the owner may be told when it
// is sent, and only under a session that has not ended.
//
// Every subscription is told something at most once in kPause; failures make pauses longer, and end
// it. Any number of instances make rounds: what one has claimed no other one sends meanwhile. What
// an instance has claimed and not sent when it ends, another one sends after kClaimedFor.
//
// Threads: one. Blocks on the database and on push services.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "crypto/subject_cipher.hpp"
#include "feed/api/freshness.hpp"
#include "feed/api/notifications/unread_notifications.hpp"
#include "feed/subscriptions/push_subscriptions.hpp"
#include "http/messages/principal.hpp"
#include "push/push_sender.hpp"
#include "push/vapid.hpp"

namespace tideline::feed {

inline constexpr std::string_view kPushTargetContext = "PushSubscription.target";

class PushRounds {
 public:
  static constexpr std::chrono::seconds kRoundEvery{2};
  static constexpr std::size_t kAtOnce = 50;
  static constexpr std::chrono::seconds kClaimedFor{60};
  // Between two messages to one browser.
  static constexpr std::chrono::seconds kPause{30};
  // After a failure, doubled with each further one, up to kPauseMax.
  static constexpr std::chrono::minutes kFirstPause{1};
  static constexpr std::chrono::minutes kPauseMax{60};
  // So often what cannot be delivered is tried again, and then left.
  static constexpr int kAttemptsMax = 5;
  // So many failures one after the other end a subscription.
  static constexpr int kFailuresMax = 15;
  // How often all are looked at for those that are over.
  static constexpr std::chrono::minutes kSweepEvery{10};

  // All that is referred to outlives it.
  struct Ports {
    sql::Database& database;
    UnreadSource& unread;
    crypto::SubjectCipher& cipher;
    Freshness& freshness;
    const push::Vapid& vapid;
    push::Reach reach;
    std::function<bool(const http::Principal&)> is_revoked;
    std::function<std::vector<push::PushAnswer>(std::span<const push::PushRequest>)> send;
    std::function<void(push::PushOutcome)> on_answer;  // may be empty
    const core::Clock& clock;
  };

  explicit PushRounds(Ports ports) : ports_(std::move(ports)) {}

  // Sends what is due. False: there may be more.
  bool round();
  // Takes out what has not been renewed, and what belongs to sessions that have ended.
  void sweep();
  void run(std::stop_token stop);

 private:
  struct Ready {
    ClaimedPush claimed;
    core::Timestamp newest;  // of what the message tells
    push::PushRequest request;
  };

  bool is_over(const PushSubscription& subscription) const;
  void remove(const PushSubscription& subscription) const;
  void settle(const PushSubscription& subscription, std::chrono::seconds pause) const;
  // nullopt: nothing is to be sent, and that is settled.
  std::optional<Ready> prepare(ClaimedPush claimed) const;
  std::optional<push::PushTarget> open(const PushSubscription& subscription) const;
  std::optional<push::PushRequest> make_request(const push::PushTarget& target,
                                                const CountedNotifications& counted) const;
  void take(const Ready& sent, const push::PushAnswer& answer) const;

  const Ports ports_;
};

}  // namespace tideline::feed
