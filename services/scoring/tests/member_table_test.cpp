// Members by their points, against a look at everybody: whatever changed since somebody last asked.
// rapidcheck prints the seed of a failure; RC_PARAMS="seed=..." runs it again.

#include "scoring/projections/engine/member_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <thread>
#include <vector>

namespace tideline::scoring {
namespace {

using Limits = std::numeric_limits<std::int64_t>;
using Found = std::map<MemberNumber, std::int64_t>;

Found found(const MemberTable& table, std::int64_t lowest, std::int64_t highest) {
  Found all;
  table.for_each(lowest, highest, [&](MemberNumber member, const Totals& has) {
    EXPECT_TRUE(all.emplace(member, has.points).second) << member << " was visited twice";
  });
  return all;
}

Found among(const std::vector<std::int64_t>& points, std::int64_t lowest, std::int64_t highest) {
  Found all;
  for (MemberNumber member = 0; member < points.size(); ++member) {
    if (points[member] >= lowest && points[member] <= highest) all[member] = points[member];
  }
  return all;
}

// Small ones, those about powers of two, and the ends of all that a book can hold.
std::int64_t any_points() {
  const auto near = *rc::gen::inRange<std::int64_t>(-40, 41);
  const auto power = *rc::gen::inRange(0, 62);
  const auto kind = *rc::gen::inRange(0, 6);
  if (kind == 0) return *rc::gen::elementOf(std::vector{Limits::min(), Limits::max()});
  if (kind == 1) return -(std::int64_t{1} << power) + near;
  return kind == 2 ? near : (std::int64_t{1} << power) + near;
}

RC_GTEST_PROP(MemberTableLaw, WhoHasSuchPointsIsFoundWhateverChangedSince, ()) {
  MemberTable table;
  std::vector<std::int64_t> points;
  const auto rounds = *rc::gen::inRange(1, 8);
  for (int round = 0; round < rounds; ++round) {
    const auto changes = *rc::gen::inRange(0, 60);
    for (int change = 0; change < changes; ++change) {
      const auto member = *rc::gen::inRange<MemberNumber>(0, 70);
      if (member >= points.size()) {
        table.make(member);
        points.resize(member + 1, 0);
      }
      if (*rc::gen::inRange(0, 4) == 0) continue;  // somebody new who has nothing
      points[member] = any_points();
      table.set_totals(member, {points[member], {}});
    }
    for (int asked = 0; asked < 3; ++asked) {
      const std::int64_t lowest = any_points();
      const std::int64_t highest = any_points();
      RC_ASSERT(found(table, lowest, highest) == among(points, lowest, highest));
    }
    RC_ASSERT(found(table, Limits::min(), Limits::max()) ==
              among(points, Limits::min(), Limits::max()));
  }
}

class MemberTableTest : public ::testing::Test {
 protected:
  static constexpr MemberNumber kPeople = 300'000;

  MemberTableTest() {
    for (MemberNumber member = 0; member < kPeople; ++member) table.make(member);
    change(2 * kPeople);
  }
  void change(std::size_t changes) {
    std::uniform_int_distribution<MemberNumber> any_member(0, kPeople - 1);
    std::uniform_int_distribution<std::int64_t> any_points(0, 50'000);
    for (std::size_t i = 0; i < changes; ++i) {
      const MemberNumber member = any_member(numbers);
      points[member] = any_points(numbers);
      table.set_totals(member, {points[member], {}});
    }
  }

  const unsigned seed = std::random_device{}();
  std::mt19937 numbers{seed};
  std::vector<std::int64_t> points = std::vector<std::int64_t>(kPeople, 0);
  MemberTable table;
};

TEST_F(MemberTableTest, FindsPeopleAfterFewChangesAndAfterMoreThanAreNoted) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  for (const std::size_t changes : {0U, 1U, 1'000U, 2 * kPeople, 1'000U}) {
    change(changes);
    EXPECT_EQ(found(table, 20'000, 20'100), among(points, 20'000, 20'100)) << changes;
  }
}

TEST_F(MemberTableTest, ManyMayAskAtOnceAfterAChange) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  for (int round = 0; round < 5; ++round) {
    change(10'000);
    const Found expected = among(points, 30'000, 30'050);
    std::vector<std::thread> askers;
    for (int asker = 0; asker < 4; ++asker) {
      askers.emplace_back([&] { EXPECT_EQ(found(table, 30'000, 30'050), expected); });
    }
    for (std::thread& asker : askers) asker.join();
  }
}

}  // namespace
}  // namespace tideline::scoring
