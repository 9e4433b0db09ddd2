#include "eventsourcing/testing/given_when_then.hpp"
#include "social-graph/domain/contact_count.hpp"
#include "social-graph/domain/member_count.hpp"
#include "social-graph/tests/people_for_specs.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::testing::given;

TEST(ContactCount, CountsUpToTheLimitAndNoFurther) {
  given<ContactCount>().when(CountContact{kAda, 2}).then(ContactCountChanged{kAda, 1});
  given<ContactCount>(ContactCountChanged{kAda, 1})
      .when(CountContact{kAda, 2})
      .then(ContactCountChanged{kAda, 2});
  given<ContactCount>(ContactCountChanged{kAda, 2})
      .when(CountContact{kAda, 2})
      .then_rejected("contact-limit-reached");
}

TEST(ContactCount, TheLimitOfTheOtherHasItsOwnAnswer) {
  given<ContactCount>(ContactCountChanged{kBob, 2})
      .when(CountContact{kBob, 2, Whose::Theirs})
      .then_rejected("their-contact-limit-reached");
}

TEST(ContactCount, ALoweredLimitLetsNobodyIn) {
  given<ContactCount>(ContactCountChanged{kAda, 7})
      .when(CountContact{kAda, 5})
      .then_rejected("contact-limit-reached");
}

TEST(ContactCount, CountsDown) {
  given<ContactCount>(ContactCountChanged{kAda, 7})
      .when(UncountContact{kAda})
      .then(ContactCountChanged{kAda, 6});
}

TEST(ContactCountDeathTest, NobodyHasLessThanNoContacts) {
  EXPECT_DEATH((void)ContactCount::decide({}, UncountContact{kAda}), "has been counted");
}

TEST(MemberCount, CountsUpToTheLimitAndDown) {
  given<MemberCount>().when(CountMember{kGroupId, 2}).then(MemberCountChanged{kGroupId, 1});
  given<MemberCount>(MemberCountChanged{kGroupId, 2})
      .when(CountMember{kGroupId, 2})
      .then_rejected("group-full");
  given<MemberCount>(MemberCountChanged{kGroupId, 2})
      .when(UncountMember{kGroupId})
      .then(MemberCountChanged{kGroupId, 1});
}

}  // namespace
}  // namespace tideline::social_graph
