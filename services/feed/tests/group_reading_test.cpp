#include "feed/domain/group_reading.hpp"

#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "feed/stored_events.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::testing::given;

const core::AccountId kAda(core::AccountId::Bytes{1});
const core::Timestamp kNow{std::chrono::seconds(1'800'000'000)};

MessageKey key(int seconds) {
  return {kNow + std::chrono::seconds(seconds), core::AccountId(core::AccountId::Bytes{2})};
}
MarkGroupRead mark(int seconds) { return {kAda, "g", key(seconds), kNow}; }
GroupMessagesRead read_up_to(int seconds) { return {kAda, "g", key(seconds)}; }

TEST(GroupReading, OnlyRises) {
  given<GroupReading>().when(mark(-2)).then(read_up_to(-2));
  given<GroupReading>(read_up_to(-2)).when(mark(-1)).then(read_up_to(-1));
  given<GroupReading>(read_up_to(-1)).when(mark(-2)).then_nothing();
  given<GroupReading>(read_up_to(-1)).when(mark(-1)).then_nothing();
}

TEST(GroupReading, DoesNotReachIntoTheFuture) {
  given<GroupReading>().when(mark(60)).then(read_up_to(60));
  given<GroupReading>().when(mark(61)).then_rejected("not-yet");
}

TEST(GroupReading, CompactionKeepsDecisions) {
  eventsourcing::testing::expect_compaction_keeps_decisions<GroupReading>(
      {mark(-3), mark(-1), mark(-2), mark(0)});
}

}  // namespace
}  // namespace tideline::feed
