// Moments that wait for what their authors had seen: until it is applied, or they are deleted.
#include "feed/projections/engine/seen_gate.hpp"

#include <gtest/gtest.h>

namespace tideline::feed {
namespace {

using core::MomentId;

eventsourcing::PositionVector at(std::uint64_t log_0, std::uint64_t log_1) {
  eventsourcing::PositionVector positions;
  positions.raise("feed", core::LogIndex(0), core::LogPosition(log_0));
  positions.raise("feed", core::LogIndex(1), core::LogPosition(log_1));
  return positions;
}

TEST(SeenGate, HoldsUntilAllThatWasSeenIsApplied) {
  SeenGate gate({"feed"});
  EXPECT_FALSE(gate.hold(MomentId(1), at(3, 3), at(3, 4)));
  ASSERT_TRUE(gate.hold(MomentId(2), at(5, 5), at(3, 4)));
  EXPECT_FALSE(gate.is_due(at(4, 5))) << "it waits for log 0 first";
  EXPECT_TRUE(gate.release(at(4, 5)).empty());
  EXPECT_TRUE(gate.is_due(at(5, 4)));
  EXPECT_TRUE(gate.release(at(5, 4)).empty()) << "now for log 1";
  EXPECT_FALSE(gate.is_due(at(5, 4)));
  EXPECT_TRUE(gate.is_due(at(5, 5)));
  EXPECT_EQ(gate.release(at(5, 5)), std::vector{MomentId(2)});
  EXPECT_TRUE(gate.empty());
}

TEST(SeenGate, ForgetsWhatIsDeleted) {
  SeenGate gate({"feed"});
  ASSERT_TRUE(gate.hold(MomentId(1), at(5, 0), at(0, 0)));
  ASSERT_TRUE(gate.hold(MomentId(2), at(5, 0), at(0, 0)));
  gate.drop(MomentId(1));
  EXPECT_EQ(gate.release(at(5, 0)), std::vector{MomentId(2)});
  ASSERT_TRUE(gate.hold(MomentId(3), at(0, 7), at(5, 0)));
  gate.drop(MomentId(3));
  EXPECT_TRUE(gate.empty());
  EXPECT_FALSE(gate.is_due(at(9, 9)));
}

TEST(SeenGate, WaitsForNoOtherServices) {
  SeenGate gate({"accounts"});
  EXPECT_FALSE(gate.hold(MomentId(1), at(5, 5), {}));
}

}  // namespace
}  // namespace tideline::feed
