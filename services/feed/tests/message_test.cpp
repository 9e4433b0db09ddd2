#include "feed/domain/message.hpp"

#include "eventsourcing/testing/given_when_then.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::testing::given;

const core::AccountId kAda(core::AccountId::Bytes{1});
const core::AccountId kBob(core::AccountId::Bytes{2});
const core::Timestamp kNow{std::chrono::seconds(1'800'000'000)};

SendToPerson to_bob(std::string text = "hi") { return {kAda, kBob, false, std::move(text), kNow}; }
MessageSent bobs() { return {kAda, kBob, std::nullopt, {kBob}, "hi", kNow, false, {}}; }
MessageSent groups() { return {kAda, std::nullopt, "g", {}, "hi", kNow, false, {}}; }
RecallMessage recall(std::chrono::seconds later) { return {kNow + later}; }

TEST(Message, GoesToOnePerson) { given<Message>().when(to_bob()).then(bobs()); }

TEST(Message, ToAGroupNamesNoRecipients) {
  given<Message>().when(SendToGroup{kAda, "g", true, "hi", kNow}).then(groups());
}

TEST(Message, ToAGroupIsForMembersOnly) {
  given<Message>().when(SendToGroup{kAda, "g", false, "hi", kNow}).then_rejected("no-such-group");
}

TEST(Message, MayHoldImagesAndNoText) {
  const std::vector<std::string> images{"one", "two"};
  given<Message>()
      .when(SendToPerson{kAda, kBob, false, "", kNow, false, images})
      .then(MessageSent{kAda, kBob, std::nullopt, {kBob}, "", kNow, false, images});
  given<Message>()
      .when(SendToPerson{kAda, kBob, false, "hi", kNow, false, std::vector<std::string>(10, "x")})
      .then_rejected("too-many-images");
}

TEST(Message, IsRecalledOnceAndWithinTwoMinutes) {
  using std::chrono::seconds;
  given<Message>(bobs())
      .when(recall(seconds(120)))
      .then(MessageRecalled{kAda, kBob, std::nullopt, kNow, kNow + seconds(120)});
  given<Message>(groups())
      .when(recall(seconds(0)))
      .then(MessageRecalled{kAda, std::nullopt, "g", kNow, kNow});
  given<Message>(bobs()).when(recall(seconds(121))).then_rejected("too-late-to-recall");
  given<Message>(bobs(), MessageRecalled{kAda, kBob, std::nullopt, kNow, kNow})
      .when(recall(seconds(500)))
      .then_nothing();
  given<Message>().when(recall(seconds(1))).then_rejected("no-such-message");
}

TEST(Message, DoesNotGoToOneself) {
  given<Message>()
      .when(SendToPerson{kAda, kAda, false, "hi", kNow})
      .then_rejected("message-to-oneself");
}

TEST(Message, DoesNotReachAClosedAccount) {
  given<Message>().when(SendToPerson{kAda, kBob, true, "hi", kNow}).then_rejected("account-closed");
}

TEST(Message, CountsItsTextInCodePoints) {
  std::string longest;
  for (std::size_t i = 0; i < Message::kTextCodePointsMax; ++i) longest += "\u6d6a";
  EXPECT_FALSE(Message::decide({}, to_bob(longest)).rejected());
  given<Message>().when(to_bob(longest + "!")).then_rejected("text-length");
  given<Message>().when(to_bob("")).then_rejected("text-length");
}

TEST(Message, HasItsMicrosecondForItself) {
  given<Message>(bobs()).when(to_bob()).then_rejected("message-key-taken");
}

}  // namespace
}  // namespace tideline::feed
