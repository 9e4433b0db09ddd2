#include "feed/domain/message.hpp"

#include "eventsourcing/testing/given_when_then.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::testing::given;

const core::AccountId kAda(core::AccountId::Bytes{1});
const core::AccountId kBob(core::AccountId::Bytes{2});
const core::AccountId kCleo(core::AccountId::Bytes{3});
const core::Timestamp kNow{std::chrono::seconds(1'800'000'000)};

SendToPerson to_bob(std::string text = "hi") { return {kAda, kBob, false, std::move(text), kNow}; }
MessageSent bobs() { return {kAda, kBob, std::nullopt, {kBob}, "hi", kNow}; }

TEST(Message, GoesToOnePerson) { given<Message>().when(to_bob()).then(bobs()); }

TEST(Message, GoesToTheGroupsMembersButForTheSender) {
  given<Message>()
      .when(SendToGroup{kAda, "g", {kCleo, kAda, kBob}, "hi", kNow})
      .then(MessageSent{kAda, std::nullopt, "g", {kBob, kCleo}, "hi", kNow});
}

TEST(Message, OfOneWhoIsAloneInAGroupReachesNobody) {
  given<Message>()
      .when(SendToGroup{kAda, "g", {kAda}, "hi", kNow})
      .then(MessageSent{kAda, std::nullopt, "g", {}, "hi", kNow});
}

TEST(Message, ToAGroupIsForMembersOnly) {
  given<Message>().when(SendToGroup{kAda, "g", {kBob}, "hi", kNow}).then_rejected("no-such-group");
  given<Message>().when(SendToGroup{kAda, "g", {}, "hi", kNow}).then_rejected("no-such-group");
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
