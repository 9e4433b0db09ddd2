// The boards of departments that are larger than what they keep in order, against a sorted list,
// while people come, go, earn and move.

#include "scoring/projections/engine/boards.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <random>

#include "core/clock.hpp"
#include "scoring/tests/plain_members.hpp"

namespace tideline::scoring {
namespace {

constexpr MemberNumber kPeople = 6 * Boards::kDepartmentBand;
constexpr std::array kDepartments = {kNoDepartment, DepartmentNumber{1}, DepartmentNumber{2}};

core::AccountId account_of(MemberNumber member) {
  core::AccountId::Bytes bytes{};
  bytes[0] = static_cast<std::uint8_t>(member);
  bytes[1] = static_cast<std::uint8_t>(member >> 8U);
  return core::AccountId(bytes);
}

class BoardsTest : public testing::Test {
 protected:
  BoardsTest() { departments.make(kPeople - 1); }

  void place(MemberNumber member, std::int64_t points) {
    const BoardEntry entry{points, core::Timestamp(std::chrono::microseconds(++time_us)),
                           account_of(member)};
    boards.change(member, table.put(member, entry), entry);
  }
  void take_away(MemberNumber member) {
    boards.change(member, table.put(member, std::nullopt), std::nullopt);
  }
  void move(MemberNumber member, DepartmentNumber to) {
    const DepartmentNumber from = departments.department(member);
    if (from == to) return;
    departments.set_department(member, to);
    const auto found = table.entries.find(member);
    if (found != table.entries.end()) boards.change_department(from, member, found->second);
  }
  std::vector<BoardEntry> sorted(DepartmentNumber department) const {
    PlainMembers own;
    for (const auto& [member, entry] : table.entries) {
      if (departments.department(member) == department) own.put(member, entry);
    }
    return own.sorted();
  }
  void expect_like_lists() const {
    EXPECT_EQ(boards.everybody().after(std::nullopt, kPeople), table.sorted());
    EXPECT_EQ(boards.find(kNoDepartment), nullptr);
    for (const DepartmentNumber department : {kDepartments[1], kDepartments[2]}) {
      const auto list = sorted(department);
      const RankBoard* board = boards.find(department);
      ASSERT_EQ(board == nullptr, list.empty());
      if (board == nullptr) continue;
      EXPECT_EQ(board->size(), list.size());
      EXPECT_EQ(board->after(std::nullopt, kPeople), list);
      EXPECT_LE(board->band_size(), 2 * Boards::kDepartmentBand);
    }
  }

  const unsigned seed = std::random_device{}();
  std::mt19937 numbers{seed};
  std::int64_t time_us = 0;
  PlainMembers table;
  MemberTable departments;
  Boards boards{Boards::kDepartmentBand, table, departments};
};

TEST_F(BoardsTest, LargeDepartmentsAreLikeListsWhateverTheirPeopleDo) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  constexpr int kRounds = 12;
  constexpr int kChanges = 5'000;
  std::uniform_int_distribution<MemberNumber> any_member(0, kPeople - 1);
  std::uniform_int_distribution<std::int64_t> any_points(-3, 2'000);
  for (int round = 0; round < kRounds; ++round) {
    // Most come at first and go in the end, so that bands fill up and run dry; in every third round
    // most of those who move come to the same department.
    std::discrete_distribution<int> any_kind(
        {round < kRounds / 2 ? 8.0 : 1.0, round < kRounds / 2 ? 1.0 : 8.0, 4.0});
    std::discrete_distribution<std::size_t> any_department({1.0, 1.0, round % 3 == 0 ? 20.0 : 1.0});
    for (int change = 0; change < kChanges; ++change) {
      const MemberNumber member = any_member(numbers);
      switch (any_kind(numbers)) {
        case 0:
          place(member, any_points(numbers));
          break;
        case 1:
          take_away(member);
          break;
        default:
          move(member, kDepartments.at(any_department(numbers)));
      }
    }
    expect_like_lists();
  }
  boards.rebuild(kDepartments.back());
  expect_like_lists();
}

// Anyone who leads a department leaves it, until its band has to be filled from the table.
TEST_F(BoardsTest, ABandIsFilledWithItsOwnPeopleAlone) {
  for (MemberNumber member = 0; member < kPeople; ++member) {
    departments.set_department(member, kDepartments.at(1 + member % 2));
    place(member, member);
  }
  expect_like_lists();
  table.scans = 0;
  for (MemberNumber member = kPeople - 1; member > kPeople / 4; --member) {
    move(member, kDepartments[2]);
  }
  EXPECT_GT(table.scans, 0U) << "the band was never filled again";
  expect_like_lists();
}

TEST_F(BoardsTest, ADepartmentWithoutPeopleHasNone) {
  departments.set_department(0, kDepartments[1]);
  boards.change(0, std::nullopt, std::nullopt);
  expect_like_lists();
  place(0, 7);
  place(1, 8);
  expect_like_lists();
  move(0, kDepartments[2]);
  expect_like_lists();
  take_away(0);
  expect_like_lists();
}

}  // namespace
}  // namespace tideline::scoring
