#include "feed/domain/timeline_reading.hpp"

#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "feed/stored_events.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::testing::expect_compaction_keeps_decisions;
using eventsourcing::testing::given;

const core::AccountId kAda(core::AccountId::Bytes{1});
const core::Timestamp kNow{std::chrono::seconds(1'800'000'000)};

core::MomentId id_at(core::Timestamp time) { return core::make_moment_id(time, kAda, 7); }

const core::MomentId kOlder = id_at(kNow - std::chrono::hours(1));
const core::MomentId kNewer = id_at(kNow);

TEST(TimelineReading, RisesOnly) {
  given<TimelineReading>()
      .when(MarkTimelineSeen{kAda, kOlder, kNow})
      .then(TimelineSeen{kAda, kOlder});
  given<TimelineReading>(TimelineSeen{kAda, kOlder})
      .when(MarkTimelineSeen{kAda, kNewer, kNow})
      .then(TimelineSeen{kAda, kNewer});
  given<TimelineReading>(TimelineSeen{kAda, kNewer})
      .when(MarkTimelineSeen{kAda, kOlder, kNow})
      .then_nothing();
  given<TimelineReading>(TimelineSeen{kAda, kNewer})
      .when(MarkTimelineSeen{kAda, kNewer, kNow})
      .then_nothing();
}

TEST(TimelineReading, EndsAtNow) {
  const auto ahead = TimelineReading::kClocksDiffer;
  given<TimelineReading>()
      .when(MarkTimelineSeen{kAda, id_at(kNow + ahead), kNow})
      .then(TimelineSeen{kAda, id_at(kNow + ahead)});
  given<TimelineReading>()
      .when(MarkTimelineSeen{kAda, id_at(kNow + ahead + std::chrono::milliseconds(1)), kNow})
      .then_rejected("not-yet");
}

TEST(TimelineReading, CompactionKeepsDecisions) {
  std::vector<TimelineReading::Command> marks;
  for (int i = 0; i < 10; ++i) {
    marks.push_back(MarkTimelineSeen{kAda, id_at(kNow - std::chrono::hours(i)), kNow});
  }
  expect_compaction_keeps_decisions<TimelineReading>(marks);
}

}  // namespace
}  // namespace tideline::feed
