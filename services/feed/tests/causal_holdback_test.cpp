// What waits for what its writer had seen: until it is applied, or it is deleted.
#include "feed/projections/engine/causal_holdback.hpp"

#include <gtest/gtest.h>

namespace tideline::feed {
namespace {

HeldEntry moment(std::uint64_t id) { return {.moment = core::MomentId(id)}; }
HeldEntry edit(std::uint64_t id, std::uint32_t edit) {
  return {.moment = core::MomentId(id), .edit = edit};
}
HeldEntry comment(std::uint64_t id, std::uint64_t comment) {
  return {.moment = core::MomentId(id), .comment = core::CommentId(comment)};
}

eventsourcing::PositionVector at(std::uint64_t log_0, std::uint64_t log_1) {
  eventsourcing::PositionVector positions;
  positions.raise("feed", core::LogIndex(0), core::LogPosition(log_0));
  positions.raise("feed", core::LogIndex(1), core::LogPosition(log_1));
  return positions;
}

TEST(CausalHoldback, HoldsUntilAllThatWasSeenIsApplied) {
  CausalHoldback holdback({"feed"});
  EXPECT_FALSE(holdback.hold(moment(1), at(3, 3), at(3, 4)));
  ASSERT_TRUE(holdback.hold(moment(2), at(5, 5), at(3, 4)));
  EXPECT_FALSE(holdback.is_due(at(4, 5))) << "it waits for log 0 first";
  EXPECT_TRUE(holdback.release(at(4, 5)).empty());
  EXPECT_TRUE(holdback.is_due(at(5, 4)));
  EXPECT_TRUE(holdback.release(at(5, 4)).empty()) << "now for log 1";
  EXPECT_FALSE(holdback.is_due(at(5, 4)));
  EXPECT_TRUE(holdback.is_due(at(5, 5)));
  EXPECT_EQ(holdback.release(at(5, 5)), std::vector{moment(2)});
  EXPECT_TRUE(holdback.empty());
}

TEST(CausalHoldback, ForgetsWhatIsDeleted) {
  CausalHoldback holdback({"feed"});
  ASSERT_TRUE(holdback.hold(moment(1), at(5, 0), at(0, 0)));
  ASSERT_TRUE(holdback.hold(moment(2), at(5, 0), at(0, 0)));
  holdback.drop(moment(1));
  EXPECT_EQ(holdback.release(at(5, 0)), std::vector{moment(2)});
  ASSERT_TRUE(holdback.hold(moment(3), at(0, 7), at(5, 0)));
  holdback.drop(moment(3));
  EXPECT_TRUE(holdback.empty());
  EXPECT_FALSE(holdback.is_due(at(9, 9)));
}

TEST(CausalHoldback, ForgetsWhatBelongsToADeletedMoment) {
  CausalHoldback holdback({"feed"});
  ASSERT_TRUE(holdback.hold(edit(1, 2), at(5, 0), {}));
  ASSERT_TRUE(holdback.hold(comment(1, 7), at(5, 0), {}));
  ASSERT_TRUE(holdback.hold(comment(1, 8), at(5, 0), {}));
  ASSERT_TRUE(holdback.hold(comment(2, 7), at(5, 0), {}));
  holdback.drop(comment(1, 7));
  EXPECT_EQ(holdback.release(at(5, 0)), (std::vector{edit(1, 2), comment(1, 8), comment(2, 7)}));
  ASSERT_TRUE(holdback.hold(edit(1, 2), at(5, 0), {}));
  ASSERT_TRUE(holdback.hold(comment(1, 8), at(5, 0), {}));
  ASSERT_TRUE(holdback.hold(comment(2, 7), at(5, 0), {}));
  holdback.drop(moment(1));
  EXPECT_EQ(holdback.release(at(5, 0)), std::vector{comment(2, 7)});
}

TEST(CausalHoldback, HoldsARelationAsOftenAsItWaits) {
  CausalHoldback holdback({"feed"});
  const Relation relation = Relation::contacts(PersonIndex{7}, PersonIndex{3});
  EXPECT_EQ(relation, Relation::contacts(PersonIndex{3}, PersonIndex{7})) << "it has no direction";
  ASSERT_TRUE(holdback.hold({.relation = relation}, at(5, 0), {}));
  ASSERT_TRUE(holdback.hold({.relation = relation}, at(7, 0), {}));
  ASSERT_TRUE(holdback.hold(moment(1), at(5, 0), {}));
  EXPECT_EQ(holdback.relations(), (std::vector{relation, relation}));
  holdback.drop(moment(1));
  EXPECT_EQ(holdback.release(at(5, 0)), std::vector{HeldEntry{.relation = relation}});
  EXPECT_EQ(holdback.relations(), std::vector{relation});
}

TEST(CausalHoldback, WaitsForNoOtherServices) {
  CausalHoldback holdback({"accounts"});
  EXPECT_FALSE(holdback.hold(moment(1), at(5, 5), {}));
}

}  // namespace
}  // namespace tideline::feed
