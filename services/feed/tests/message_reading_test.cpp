#include "feed/domain/message_reading.hpp"

#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "feed/stored_events.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::testing::expect_compaction_keeps_decisions;
using eventsourcing::testing::given;

const core::AccountId kAda(core::AccountId::Bytes{1});
const core::AccountId kBob(core::AccountId::Bytes{2});

MessageKey key(int second) {
  return {core::Timestamp(std::chrono::seconds(1'800'000'000 + second)), kBob};
}

TEST(MessageReading, NamesEachMessageOnce) {
  given<MessageReading>()
      .when(MarkAsRead{kAda, {key(2), key(1), key(2)}})
      .then(MessagesRead{kAda, {key(1), key(2)}});
}

TEST(MessageReading, OfNothingIsNoEvent) {
  given<MessageReading>().when(MarkAsRead{kAda, {}}).then_nothing();
}

TEST(MessageReading, IsBounded) {
  std::vector<MessageKey> keys;
  for (int i = 0; i < static_cast<int>(MessageReading::kMessagesMax); ++i) keys.push_back(key(i));
  EXPECT_FALSE(MessageReading::decide({}, MarkAsRead{kAda, keys}).rejected());
  keys.push_back(key(-1));
  given<MessageReading>().when(MarkAsRead{kAda, keys}).then_rejected("too-many-messages");
}

TEST(MessageReading, CompactionKeepsDecisions) {
  expect_compaction_keeps_decisions<MessageReading>(
      {MarkAsRead{kAda, {key(1)}}, MarkAsRead{kAda, {key(2), key(1)}}});
}

}  // namespace
}  // namespace tideline::feed
