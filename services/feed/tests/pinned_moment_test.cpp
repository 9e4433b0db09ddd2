#include "feed/domain/pinned_moment.hpp"

#include "eventsourcing/events/event_codec.hpp"
#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "feed/stored_events.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::testing::given;

const core::AccountId kAda(core::AccountId::Bytes{1});
const core::MomentId kOne{4'711};
const core::MomentId kOther{4'712};

TEST(PinnedMoment, IsOneOfAnAuthor) {
  const PinnedMomentChanged one{kAda, kOne};
  const PinnedMomentChanged none{kAda, std::nullopt};
  given<PinnedMoment>().when(PinMoment{kAda, kOne}).then(one);
  given<PinnedMoment>(one).when(PinMoment{kAda, kOne}).then_nothing();
  given<PinnedMoment>(one).when(PinMoment{kAda, kOther}).then(PinnedMomentChanged{kAda, kOther});
  given<PinnedMoment>(one).when(UnpinMoment{kAda, kOther}).then_nothing();
  given<PinnedMoment>(one).when(UnpinMoment{kAda, kOne}).then(none);
  given<PinnedMoment>(one, none).when(UnpinMoment{kAda, kOne}).then_nothing();
  given<PinnedMoment>(one, none).when(PinMoment{kAda, kOne}).then(one);
}

TEST(PinnedMoment, CompactionKeepsDecisions) {
  eventsourcing::testing::expect_compaction_keeps_decisions<PinnedMoment>(
      {PinMoment{kAda, kOne}, PinMoment{kAda, kOther}, UnpinMoment{kAda, kOne}});
}

TEST(PinnedMoment, IsStoredAsItWasDecided) {
  const eventsourcing::EventCodec<PinnedMoment> codec;
  for (const PinnedMoment::Event& event :
       {PinnedMoment::Event(PinnedMomentChanged{kAda, kOne}),
        PinnedMoment::Event(PinnedMomentChanged{kAda, std::nullopt})}) {
    const auto stored = codec.encode(event);
    eventsourcing::RecordedEvent recorded;
    recorded.source = "feed";
    recorded.type = stored.type;
    recorded.schema_version = stored.schema_version;
    recorded.data = stored.data;
    EXPECT_EQ(codec.decode(recorded), event);
  }
}

}  // namespace
}  // namespace tideline::feed
