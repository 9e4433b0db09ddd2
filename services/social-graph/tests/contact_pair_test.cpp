#include "social-graph/domain/contact_pair.hpp"

#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/tests/people_for_specs.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::testing::expect_compaction_keeps_decisions;
using eventsourcing::testing::given;

const ContactRequested kAsked{kAda, kBob};
const ContactAccepted kAccepted{kAda, kBob, true};

TEST(ContactPair, AStrangerIsAsked) {
  given<ContactPair>().when(RequestContact{kAda, kBob}).then(kAsked);
}

TEST(ContactPair, AskingAgainChangesNothing) {
  given<ContactPair>(kAsked).when(RequestContact{kAda, kBob}).then_nothing();
  given<ContactPair>(kAsked, kAccepted).when(RequestContact{kAda, kBob}).then_nothing();
  given<ContactPair>(kAsked, kAccepted).when(RequestContact{kBob, kAda}).then_nothing();
}

TEST(ContactPair, NobodyAsksHimself) {
  given<ContactPair>().when(RequestContact{kAda, kAda}).then_rejected("oneself");
}

TEST(ContactPair, WhoAsksSomebodyWhoHasAskedHimAccepts) {
  given<ContactPair>(kAsked).when(RequestContact{kBob, kAda}).then(kAccepted);
}

TEST(ContactPair, ARequestIsAccepted) {
  given<ContactPair>(kAsked).when(AcceptContact{kBob, kAda}).then(kAccepted);
  given<ContactPair>(kAsked, kAccepted).when(AcceptContact{kBob, kAda}).then_nothing();
}

TEST(ContactPair, OnlyARequestThatIsOpenIsAccepted) {
  given<ContactPair>().when(AcceptContact{kBob, kAda}).then_rejected("no-such-contact-request");
  given<ContactPair>(kAsked, ContactDeclined{kAda, kBob, {}})
      .when(AcceptContact{kBob, kAda})
      .then_rejected("no-such-contact-request");
  given<ContactPair>(kAsked, ContactRequestWithdrawn{kAda, kBob})
      .when(AcceptContact{kBob, kAda})
      .then_rejected("no-such-contact-request");
}

TEST(ContactPair, NobodyAcceptsHisOwnRequest) {
  given<ContactPair>(kAsked)
      .when(AcceptContact{kAda, kBob})
      .then_rejected("no-such-contact-request");
}

constexpr core::Timestamp kNoon{std::chrono::hours(20'000 * 24 + 12)};
constexpr std::chrono::hours kDay(24);

TEST(ContactPair, ARequestIsDeclined) {
  const ContactDeclined declined{kAda, kBob, kNoon};
  given<ContactPair>(kAsked).when(DeclineContact{kBob, kAda, kNoon}).then(declined);
  given<ContactPair>(kAsked, declined).when(DeclineContact{kBob, kAda, kNoon}).then_nothing();
}

TEST(ContactPair, ADeclinedRequestIsRepeatedOnlyAfterATime) {
  const ContactDeclined declined{kAda, kBob, kNoon};
  const auto asks_again = [](core::Timestamp now) { return RequestContact{kAda, kBob, now, kDay}; };
  given<ContactPair>(kAsked, declined)
      .when(asks_again(kNoon + kDay - std::chrono::seconds(1)))
      .then_rejected("contact-request-declined");
  given<ContactPair>(kAsked, declined).when(asks_again(kNoon + kDay)).then(kAsked);
  given<ContactPair>(kAsked, ContactDeclined{kAda, kBob, {}}).when(asks_again(kNoon)).then(kAsked);
}

TEST(ContactPair, WhoHasDeclinedMayAskHimselfAtOnce) {
  given<ContactPair>(kAsked, ContactDeclined{kAda, kBob, kNoon})
      .when(RequestContact{kBob, kAda, kNoon, kDay})
      .then(ContactRequested{kBob, kAda});
}

TEST(ContactPair, NobodyDeclinesHisOwnRequest) {
  given<ContactPair>(kAsked)
      .when(DeclineContact{kAda, kBob})
      .then_rejected("no-such-contact-request");
}

TEST(ContactPair, ARequestIsWithdrawnByWhoMadeIt) {
  const ContactRequestWithdrawn withdrawn{kAda, kBob};
  given<ContactPair>(kAsked).when(WithdrawContactRequest{kAda, kBob}).then(withdrawn);
  given<ContactPair>(kAsked, withdrawn).when(WithdrawContactRequest{kAda, kBob}).then_nothing();
  given<ContactPair>(kAsked)
      .when(WithdrawContactRequest{kBob, kAda})
      .then_rejected("no-such-contact-request");
  given<ContactPair>(kAsked, kAccepted)
      .when(WithdrawContactRequest{kAda, kBob})
      .then_rejected("no-such-contact-request");
}

TEST(ContactPair, EitherSideRemovesAContact) {
  const ContactRemoved removed{kBob, kAda};
  given<ContactPair>(kAsked, kAccepted)
      .when(RemoveContact{kAda, kBob})
      .then(ContactRemoved{kAda, kBob});
  given<ContactPair>(kAsked, kAccepted).when(RemoveContact{kBob, kAda}).then(removed);
  given<ContactPair>(kAsked, kAccepted, removed).when(RemoveContact{kBob, kAda}).then_nothing();
}

TEST(ContactPair, OnlyAContactIsRemoved) {
  given<ContactPair>().when(RemoveContact{kAda, kBob}).then_rejected("no-such-contact");
  given<ContactPair>(kAsked).when(RemoveContact{kAda, kBob}).then_rejected("no-such-contact");
}

TEST(ContactPair, OnlyTheFirstAcceptanceOfAPairIsMarked) {
  given<ContactPair>(kAsked, kAccepted, ContactRemoved{kAda, kBob}, ContactRequested{kBob, kAda})
      .when(AcceptContact{kAda, kBob})
      .then(ContactAccepted{kBob, kAda, false});
}

TEST(ContactPair, AClosedAccountEndsWhateverThereIs) {
  const EndContact ada_ends{kAda, kBob};
  const EndContact bob_ends{kBob, kAda};
  given<ContactPair>(kAsked).when(ada_ends).then(ContactRequestWithdrawn{kAda, kBob});
  given<ContactPair>(kAsked).when(bob_ends).then(ContactDeclined{kAda, kBob, {}});
  given<ContactPair>(kAsked, kAccepted).when(ada_ends).then(ContactRemoved{kAda, kBob});
  given<ContactPair>(kAsked, kAccepted).when(bob_ends).then(ContactRemoved{kBob, kAda});
}

TEST(ContactPair, AClosedAccountEndsNothingTwice) {
  const EndContact ada_ends{kAda, kBob};
  given<ContactPair>().when(ada_ends).then_nothing();
  given<ContactPair>(kAsked, ContactDeclined{kAda, kBob, {}}).when(ada_ends).then_nothing();
  given<ContactPair>(kAsked, ContactRequestWithdrawn{kAda, kBob}).when(ada_ends).then_nothing();
  given<ContactPair>(kAsked, kAccepted, ContactRemoved{kBob, kAda}).when(ada_ends).then_nothing();
}

TEST(ContactPair, CompactionKeepsDecisions) {
  expect_compaction_keeps_decisions<ContactPair>(
      {RequestContact{kAda, kBob}, RequestContact{kAda, kBob, kNoon, kDay},
       RequestContact{kBob, kAda}, AcceptContact{kAda, kBob}, AcceptContact{kBob, kAda},
       DeclineContact{kBob, kAda}, DeclineContact{kAda, kBob}, WithdrawContactRequest{kAda, kBob},
       WithdrawContactRequest{kBob, kAda}, RemoveContact{kAda, kBob}, EndContact{kBob, kAda}});
}

}  // namespace
}  // namespace tideline::social_graph
