#include "social-graph/domain/counts.hpp"

#include "eventsourcing/testing/given_when_then.hpp"
#include "social-graph/tests/people_for_specs.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::testing::given;

constexpr std::int64_t kLimit = 2;

TEST(Counts, CountUpToTheLimitAndNoFurther) {
  const ContactCount::Add add{kAda, kLimit, kContactLimit};
  given<ContactCount>().when(add).then(ContactCountChanged{kAda, 1});
  given<ContactCount>(ContactCountChanged{kAda, 1}).when(add).then(ContactCountChanged{kAda, 2});
  given<ContactCount>(ContactCountChanged{kAda, 2})
      .when(add)
      .then_rejected("contact-limit-reached");
}

TEST(Counts, ALoweredLimitLetsNobodyIn) {
  given<ContactCount>(ContactCountChanged{kAda, 7})
      .when(ContactCount::Add{kAda, 5, kTheirContactLimit})
      .then_rejected("their-contact-limit-reached");
}

TEST(Counts, CountDown) {
  given<MemberCount>(MemberCountChanged{kGroupId, 2})
      .when(MemberCount::Remove{kGroupId})
      .then(MemberCountChanged{kGroupId, 1});
}

TEST(Counts, WhatWasThereBeforeItWasCountedMayGo) {
  given<TagCount>().when(TagCount::Remove{kAda}).then_nothing();
}

}  // namespace
}  // namespace tideline::social_graph
