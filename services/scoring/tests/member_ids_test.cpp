// Numbers of accounts against a map, through every growth of the table; rapidcheck prints the seed
// of a failure.

#include "scoring/projections/engine/member_ids.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

namespace tideline::scoring {
namespace {

// Of few different bytes, so that some are asked for again and many differ in one half alone.
core::AccountId any_account() {
  core::AccountId::Bytes bytes{};
  for (const std::size_t at : {0, 7, 8, 15}) {
    bytes.at(at) = *rc::gen::inRange<std::uint8_t>(0, 5);
  }
  return core::AccountId(bytes);
}

core::AccountId account_number(std::uint64_t number) {
  core::AccountId::Bytes bytes{};
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return core::AccountId(bytes);
}

RC_GTEST_PROP(MemberIdsLaw, AreThoseOfAMap, ()) {
  MemberIds ids;
  std::map<core::AccountId, MemberNumber> expected;
  const int steps = *rc::gen::inRange(0, 1'500);
  for (int i = 0; i < steps; ++i) {
    const core::AccountId account = any_account();
    const auto known = expected.find(account);
    RC_ASSERT(ids.find(account) ==
              (known == expected.end() ? std::nullopt : std::optional(known->second)));
    if (i % 3 == 0) continue;
    if (i % 100 == 1) {
      ReservedPages pages;
      ids.reserve(expected.size() + 200, pages);
    }
    const auto next = static_cast<MemberNumber>(expected.size());
    RC_ASSERT(ids.number_of(account) == expected.try_emplace(account, next).first->second);
  }
  RC_ASSERT(ids.size() == expected.size());
  for (const auto& [account, number] : expected) {
    RC_ASSERT(ids.find(account) == number);
    RC_ASSERT(ids.account(number) == account);
  }
}

TEST(MemberIdsTest, AreAllFoundThroughEveryGrowth) {
  constexpr MemberNumber kMany = 200'000;
  MemberIds ids;
  for (MemberNumber i = 0; i < kMany; ++i) ASSERT_EQ(ids.number_of(account_number(i)), i);
  for (MemberNumber i = 0; i < kMany; ++i) {
    ASSERT_EQ(ids.find(account_number(i)), i);
    ASSERT_EQ(ids.guess(account_number(i)), i) << "two of so few share half a hash";
  }
  EXPECT_FALSE(ids.find(account_number(kMany)).has_value());
  EXPECT_FALSE(ids.guess(account_number(kMany)).has_value());
  // The id, and at most twice as many places as people.
  EXPECT_LE(ids.bytes(), kMany * (16U + 16U + 8U));
}

// The hash joins both halves of an id, one turned by 32 bits, so that these all have the same.
TEST(MemberIdsTest, WhoseHashesAreEqualAreToldApart) {
  const auto of_one_hash = [](std::uint8_t number) {
    core::AccountId::Bytes bytes{};
    bytes[0] = number;
    bytes[8 + 4] = number;
    return core::AccountId(bytes);
  };
  MemberIds ids;
  for (std::uint8_t i = 0; i < 100; ++i) ASSERT_EQ(ids.number_of(of_one_hash(i)), i);
  for (std::uint8_t i = 0; i < 100; ++i) EXPECT_EQ(ids.find(of_one_hash(i)), i);
  EXPECT_FALSE(ids.find(of_one_hash(100)).has_value());
  EXPECT_EQ(ids.guess(of_one_hash(100)), 0U) << "these have not the same hash";
}

TEST(MemberIdsTest, NobodyIsKnownAtFirst) {
  const MemberIds ids;
  ids.prefetch(account_number(1));
  EXPECT_FALSE(ids.find(account_number(1)).has_value());
  EXPECT_FALSE(ids.guess(account_number(1)).has_value());
}

TEST(DenseColumnTest, HoldsZeroForWhoWasPassedOver) {
  DenseColumn<std::uint64_t> column;
  constexpr MemberNumber kFar = 600'000;  // in the third chunk
  column.make(3) = 5;
  column.make(kFar) = 7;
  EXPECT_EQ(column.size(), kFar + 1);
  std::map<MemberNumber, std::uint64_t> found;
  MemberNumber visited = 0;
  column.for_each([&](MemberNumber member, std::uint64_t value) {
    EXPECT_EQ(member, visited++);
    if (value != 0) found[member] = value;
  });
  EXPECT_EQ(visited, kFar + 1);
  EXPECT_EQ(found, (std::map<MemberNumber, std::uint64_t>{{3, 5}, {kFar, 7}}));
}

}  // namespace
}  // namespace tideline::scoring
