// What is seen and muted of notifications, as decisions.
#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "feed/domain/notification_mutes.hpp"
#include "feed/domain/notification_reading.hpp"
#include "feed/stored_events.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::testing::expect_compaction_keeps_decisions;
using eventsourcing::testing::given;

const core::AccountId kAda(core::AccountId::Bytes{1});
const core::AccountId kBob(core::AccountId::Bytes{2});
const core::AccountId kCleo(core::AccountId::Bytes{3});
const core::Timestamp kNow{std::chrono::seconds(1'800'000'000)};
const core::Timestamp kEarlier = kNow - std::chrono::hours(1);

TEST(NotificationReading, RisesOnly) {
  given<NotificationReading>()
      .when(MarkNotificationsSeen{kAda, kEarlier, kNow})
      .then(NotificationsSeen{kAda, kEarlier});
  given<NotificationReading>(NotificationsSeen{kAda, kEarlier})
      .when(MarkNotificationsSeen{kAda, kNow, kNow})
      .then(NotificationsSeen{kAda, kNow});
  for (const auto& up_to : {kEarlier, kNow}) {
    given<NotificationReading>(NotificationsSeen{kAda, kNow})
        .when(MarkNotificationsSeen{kAda, up_to, kNow})
        .then_nothing();
  }
}

TEST(NotificationReading, EndsAtNow) {
  const auto ahead = kNow + NotificationReading::kClocksDiffer;
  given<NotificationReading>()
      .when(MarkNotificationsSeen{kAda, ahead, kNow})
      .then(NotificationsSeen{kAda, ahead});
  given<NotificationReading>()
      .when(MarkNotificationsSeen{kAda, ahead + std::chrono::microseconds(1), kNow})
      .then_rejected("not-yet");
}

TEST(NotificationMutes, AreSetWholeAndEachOnce) {
  const NotificationsMuted wanted{
      kAda,
      {NotificationKind::Follow, NotificationKind::Like, NotificationKind::Follow},
      {kCleo, kBob, kCleo},
      {core::MomentId(7), core::MomentId(7)}};
  const NotificationsMuted muted{
      kAda, {NotificationKind::Like, NotificationKind::Follow}, {kBob, kCleo}, {core::MomentId(7)}};
  given<NotificationMutes>().when(MuteNotifications{wanted}).then(muted);
  given<NotificationMutes>(muted).when(MuteNotifications{wanted}).then_nothing();
  given<NotificationMutes>(muted)
      .when(MuteNotifications{{kAda, {}, {}, {}}})
      .then(NotificationsMuted{kAda, {}, {}, {}});
  given<NotificationMutes>().when(MuteNotifications{{kAda, {}, {}, {}}}).then_nothing();
}

TEST(NotificationMutes, AreAsManyAsOneReadMayPassOver) {
  NotificationsMuted mutes{kAda, {}, {}, {}};
  for (std::uint64_t i = 1; i <= NotificationMutes::kMomentsMax; ++i) {
    mutes.moments.emplace_back(i);
  }
  given<NotificationMutes>().when(MuteNotifications{mutes}).then(mutes);
  mutes.moments.emplace_back(NotificationMutes::kMomentsMax + 1);
  given<NotificationMutes>().when(MuteNotifications{mutes}).then_rejected("too-many-mutes");
}

TEST(Notifications, CompactionKeepsDecisions) {
  expect_compaction_keeps_decisions<NotificationReading>(
      {MarkNotificationsSeen{kAda, kEarlier, kNow}, MarkNotificationsSeen{kAda, kNow, kNow}});
  expect_compaction_keeps_decisions<NotificationMutes>(
      {MuteNotifications{{kAda, {NotificationKind::Like}, {}, {}}},
       MuteNotifications{{kAda, {}, {kBob}, {}}}, MuteNotifications{{kAda, {}, {}, {}}}});
}

}  // namespace
}  // namespace tideline::feed
