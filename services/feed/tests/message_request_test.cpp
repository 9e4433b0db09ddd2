#include "feed/domain/message_request.hpp"

#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "feed/domain/message_setting.hpp"
#include "feed/stored_events.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::testing::expect_compaction_keeps_decisions;
using eventsourcing::testing::given;
using enum RequestAnswer;

const core::AccountId kAda(core::AccountId::Bytes{1});
const core::AccountId kBob(core::AccountId::Bytes{2});

const WriteToStranger kBobWrites{kAda, kBob};
const AnswerMessageRequest kAdaAccepts{kAda, kBob, Accepted};
const AnswerMessageRequest kAdaIgnores{kAda, kBob, Ignored};
const WelcomeMessages kAdaHasWritten{kAda, kBob};

MessageRequestChanged now(RequestAnswer answer, std::int64_t sent) {
  return {kAda, kBob, answer, sent};
}

TEST(MessageRequest, FewMessagesWaitUntilTheyAreAccepted) {
  given<MessageRequest>().when(kBobWrites).then(now(None, 1));
  given<MessageRequest>(now(None, 2)).when(kBobWrites).then(now(None, 3));
  given<MessageRequest>(now(None, 3)).when(kBobWrites).then_rejected("message-request-waits");
}

TEST(MessageRequest, WhoIsAcceptedWritesAsHeLikes) {
  given<MessageRequest>(now(None, 3)).when(kAdaAccepts).then(now(Accepted, 3));
  given<MessageRequest>(now(Accepted, 3)).when(kBobWrites).then_nothing();
  given<MessageRequest>(now(Accepted, 3)).when(kAdaAccepts).then_nothing();
}

TEST(MessageRequest, WhoIsIgnoredIsAnsweredAsIfHeWaited) {
  given<MessageRequest>(now(None, 1)).when(kAdaIgnores).then(now(Ignored, 1));
  given<MessageRequest>(now(Ignored, 1)).when(kAdaIgnores).then_nothing();
  given<MessageRequest>(now(Ignored, 1)).when(kBobWrites).then(now(Ignored, 2));
  given<MessageRequest>(now(Ignored, 3)).when(kBobWrites).then_rejected("message-request-waits");
  given<MessageRequest>(now(Ignored, 3)).when(kAdaAccepts).then(now(Accepted, 3));
}

TEST(MessageRequest, OnlyWhatWaitsIsAnswered) {
  given<MessageRequest>().when(kAdaAccepts).then_rejected("no-such-message-request");
  given<MessageRequest>().when(kAdaIgnores).then_rejected("no-such-message-request");
  given<MessageRequest>(now(Accepted, 1))
      .when(kAdaIgnores)
      .then_rejected("no-such-message-request");
}

TEST(MessageRequest, WhoeverWritesAcceptsWhatIsWrittenBack) {
  given<MessageRequest>().when(kAdaHasWritten).then(now(Accepted, 0));
  given<MessageRequest>(now(Ignored, 2)).when(kAdaHasWritten).then(now(Accepted, 2));
  given<MessageRequest>(now(Accepted, 2)).when(kAdaHasWritten).then_nothing();
}

TEST(MessageRequest, CompactionKeepsDecisions) {
  expect_compaction_keeps_decisions<MessageRequest>(
      {kBobWrites, kAdaAccepts, kAdaIgnores, kAdaHasWritten});
}

TEST(MessageSetting, IsSetAndSetBack) {
  given<MessageSetting>()
      .when(ChangeMessageSetting{kAda, true})
      .then(MessageSettingChanged{kAda, true});
  given<MessageSetting>(MessageSettingChanged{kAda, true})
      .when(ChangeMessageSetting{kAda, true})
      .then_nothing();
  given<MessageSetting>(MessageSettingChanged{kAda, true})
      .when(ChangeMessageSetting{kAda, false})
      .then(MessageSettingChanged{kAda, false});
}

}  // namespace
}  // namespace tideline::feed
