#include "social-graph/domain/remark.hpp"

#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "social-graph/domain/follow_setting.hpp"
#include "social-graph/domain/suggestion.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/tests/people_for_specs.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::testing::expect_compaction_keeps_decisions;
using eventsourcing::testing::given;

const SetRemark kCallsHimBobby{kAda, kBob, "Bobby", true};
const ContactRemarked kBobby{kAda, kBob, "Bobby"};
const ContactRemarkRemoved kRemoved{kAda, kBob};

TEST(Remark, IsPutOnAContact) {
  given<Remark>().when(kCallsHimBobby).then(kBobby);
  given<Remark>(kBobby).when(kCallsHimBobby).then_nothing();
  given<Remark>(kBobby)
      .when(SetRemark{kAda, kBob, "Robert", true})
      .then(ContactRemarked{kAda, kBob, "Robert"});
  given<Remark>().when(SetRemark{kAda, kBob, "Bobby", false}).then_rejected("no-such-contact");
}

TEST(Remark, IsTakenBack) {
  given<Remark>(kBobby).when(RemoveRemark{kAda, kBob}).then(kRemoved);
  given<Remark>(kBobby, kRemoved).when(RemoveRemark{kAda, kBob}).then_nothing();
  given<Remark>(kBobby, kRemoved).when(kCallsHimBobby).then(kBobby);
  given<Remark>().when(RemoveRemark{kAda, kBob}).then_nothing();
}

TEST(Remark, CompactionKeepsDecisions) {
  expect_compaction_keeps_decisions<Remark>(
      {kCallsHimBobby, SetRemark{kAda, kBob, "Robert", true}, RemoveRemark{kAda, kBob}});
}

TEST(Suggestion, IsDismissedOnce) {
  const ContactSuggestionDismissed dismissed{kAda, kBob};
  given<Suggestion>().when(DismissSuggestion{kAda, kBob}).then(dismissed);
  given<Suggestion>(dismissed).when(DismissSuggestion{kAda, kBob}).then_nothing();
}

TEST(FollowSetting, ShowsNobodyTheCountsUntilItsOwnerAllowsIt) {
  const FollowCountsShown to_contacts{kAda, CountAudience::Contacts};
  given<FollowSetting>().when(ShowFollowCounts{kAda, CountAudience::Nobody}).then_nothing();
  given<FollowSetting>().when(ShowFollowCounts{kAda, CountAudience::Contacts}).then(to_contacts);
  given<FollowSetting>(to_contacts)
      .when(ShowFollowCounts{kAda, CountAudience::Contacts})
      .then_nothing();
  given<FollowSetting>(to_contacts)
      .when(ShowFollowCounts{kAda, CountAudience::Nobody})
      .then(FollowCountsShown{kAda, CountAudience::Nobody});
}

TEST(FollowSetting, CompactionKeepsDecisions) {
  expect_compaction_keeps_decisions<FollowSetting>(
      {ShowFollowCounts{kAda, CountAudience::Nobody},
       ShowFollowCounts{kAda, CountAudience::Everybody}});
}

}  // namespace
}  // namespace tideline::social_graph
