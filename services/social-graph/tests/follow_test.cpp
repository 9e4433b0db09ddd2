#include "social-graph/domain/follow.hpp"

#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/tests/people_for_specs.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::testing::expect_compaction_keeps_decisions;
using eventsourcing::testing::given;

const Followed kFollowed{kAda, kBob, true};
const Unfollowed kUnfollowed{kAda, kBob};

TEST(Follow, BeginsAndEnds) {
  given<Follow>().when(FollowPerson{kAda, kBob}).then(kFollowed);
  given<Follow>(kFollowed).when(UnfollowPerson{kAda, kBob}).then(kUnfollowed);
}

TEST(Follow, RepeatingChangesNothing) {
  given<Follow>(kFollowed).when(FollowPerson{kAda, kBob}).then_nothing();
  given<Follow>(kFollowed, kUnfollowed).when(UnfollowPerson{kAda, kBob}).then_nothing();
  given<Follow>().when(UnfollowPerson{kAda, kBob}).then_nothing();
}

TEST(Follow, OnlyTheFirstTimeIsMarked) {
  given<Follow>(kFollowed, kUnfollowed)
      .when(FollowPerson{kAda, kBob})
      .then(Followed{kAda, kBob, false});
}

TEST(Follow, NobodyFollowsHimself) {
  given<Follow>().when(FollowPerson{kAda, kAda}).then_rejected("oneself");
}

TEST(Follow, CompactionKeepsDecisions) {
  expect_compaction_keeps_decisions<Follow>({FollowPerson{kAda, kBob}, UnfollowPerson{kAda, kBob}});
}

}  // namespace
}  // namespace tideline::social_graph
