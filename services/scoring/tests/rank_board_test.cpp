// The board against a sorted list: ranks, tops, pages and neighbours after any changes. rapidcheck
// prints the seed of a failure; RC_PARAMS="seed=..." runs it again.

#include "scoring/projections/engine/rank_board.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

#include "scoring/tests/plain_members.hpp"
#include "scoring/tests/recomputation.hpp"

namespace tideline::scoring {
namespace {

// Around every seam: the ends of blocks, of the cells, and of the numbers.
const std::vector<std::int64_t> kScores = {0,
                                           1,
                                           2,
                                           3,
                                           7,
                                           1022,
                                           1023,
                                           1024,
                                           1025,
                                           2048,
                                           500'000,
                                           ScoreCells::kScores - 1,
                                           ScoreCells::kScores,
                                           ScoreCells::kScores + 1,
                                           1'000'000'000'000,
                                           -1,
                                           -2,
                                           -1'000'000'000'000};

// A board and its table.
struct World {
  explicit World(std::size_t band) : board(band, members) {}

  void place(std::uint8_t number, std::int64_t points, std::int64_t reached) {
    const BoardEntry entry{points, core::Timestamp(std::chrono::microseconds(reached)),
                           account_with(number)};
    board.change(number, members.put(number, entry), entry);
  }
  void take_away(std::uint8_t number) {
    board.change(number, members.put(number, std::nullopt), std::nullopt);
  }
  std::vector<BoardEntry> sorted() const { return members.sorted(); }

  PlainMembers members;
  RankBoard board;
};

void expect_like_a_list(const World& world) {
  const auto list = world.sorted();
  RC_ASSERT(world.board.size() == list.size());
  for (const std::int64_t points : kScores) {
    const auto above = std::count_if(list.begin(), list.end(),
                                     [&](const BoardEntry& e) { return e.points > points; });
    RC_ASSERT(world.board.above(points) == static_cast<std::uint64_t>(above));
  }
  for (const std::size_t limit : {std::size_t{1}, std::size_t{3}, list.size() + 1}) {
    const auto top = world.board.after(std::nullopt, limit);
    RC_ASSERT(top == std::vector(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(
                                                                  std::min(limit, list.size()))));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto here = list.begin() + static_cast<std::ptrdiff_t>(i);
      const auto behind = std::min(limit, list.size() - i - 1);
      const auto ahead = std::min(limit, i);
      RC_ASSERT(world.board.after(*here, limit) ==
                std::vector(here + 1, here + 1 + static_cast<std::ptrdiff_t>(behind)));
      RC_ASSERT(world.board.before(*here, limit) ==
                std::vector(here - static_cast<std::ptrdiff_t>(ahead), here));
    }
  }
}

RC_GTEST_PROP(RankBoardLaw, IsLikeASortedList, ()) {
  World world(*rc::gen::inRange<std::size_t>(1, 6));
  const int changes = *rc::gen::inRange(1, 40);
  for (int i = 0; i < changes; ++i) {
    const auto number = *rc::gen::inRange<std::uint8_t>(1, 14);
    if (*rc::gen::inRange(0, 6) == 0) {
      world.take_away(number);
    } else {
      world.place(number, *rc::gen::elementOf(kScores), *rc::gen::inRange<std::int64_t>(0, 3));
    }
  }
  expect_like_a_list(world);
  world.board.rebuild();
  expect_like_a_list(world);
}

// Long enough that entries of theirs are stale and that tails wait behind them.
RC_GTEST_PROP(RankBoardLaw, LongListsAreLikeASortedListToo, ()) {
  World world(*rc::gen::elementOf(std::vector<std::size_t>{60, 100, 1000}));
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const bool times_rise = *rc::gen::arbitrary<bool>();
  const auto people = static_cast<std::uint8_t>(full_range(100, 250));
  for (int i = 0; i < 3'000; ++i) {
    const auto who = static_cast<std::uint8_t>(random() % people + 1);
    const std::int64_t time = times_rise ? i / 3 : static_cast<std::int64_t>(random() % 20);
    if (random() % 20 == 0) {
      world.take_away(who);
    } else {
      world.place(who,
                  random() % 20 == 0 ? kScores[random() % kScores.size()]
                                     : 7 + static_cast<std::int64_t>(random() % 2),
                  time);
    }
  }
  expect_like_a_list(world);
}

RC_GTEST_PROP(RankBoardLaw, CountsAnyScores, ()) {
  World world(4);
  for (std::uint8_t number = 1; number < 30; ++number) {
    world.place(number, *rc::gen::inRange<std::int64_t>(-50, ScoreCells::kScores + 50), 0);
    world.place(number, *rc::gen::inRange<std::int64_t>(-50, ScoreCells::kScores + 50), 0);
  }
  const auto list = world.sorted();
  for (const BoardEntry& entry : list) {
    const auto above = std::count_if(list.begin(), list.end(),
                                     [&](const BoardEntry& e) { return e.points > entry.points; });
    RC_ASSERT(world.board.rank_of(entry.points) == static_cast<std::uint64_t>(above) + 1);
  }
}

TEST(RankBoardTest, GoesToAndFroOverTheEndOfTheCells) {
  World world(10);
  world.place(1, ScoreCells::kScores - 1, 0);
  world.place(2, 5, 0);
  for (int i = 0; i < 100; ++i) {
    world.place(2, i % 2 == 0 ? ScoreCells::kScores + 3 : 5, i);
    EXPECT_EQ(world.board.rank_of(ScoreCells::kScores - 1), i % 2 == 0 ? 2U : 1U);
  }
  world.place(2, -4, 0);
  EXPECT_EQ(world.board.rank_of(-4), 2U);
  EXPECT_EQ(world.board.rank_of(-5), 3U);
  EXPECT_EQ(world.board.size(), 2U);
}

TEST(RankBoardTest, ThoseWithEqualPointsShareARank) {
  World world(10);
  for (std::uint8_t number = 1; number <= 3; ++number) world.place(number, 10, 7 - number);
  world.place(4, 9, 0);
  EXPECT_EQ(world.board.rank_of(10), 1U);
  EXPECT_EQ(world.board.rank_of(9), 4U);
  // Who reached it first comes first.
  EXPECT_EQ(world.board.after(std::nullopt, 1).front().account, account_with(3));
}

TEST(RankBoardTest, ALargeGroupOfEqualsStaysOutOfASmallBand) {
  World world(4);
  for (std::uint8_t number = 1; number <= 100; ++number) world.place(number, 0, number);
  world.place(7, 3, 200);
  EXPECT_LE(world.board.band_size(), 8U);
  EXPECT_EQ(world.board.after(std::nullopt, 101), world.sorted());
}

TEST(RankBoardTest, TheBandFillsAgainWhenItsMembersLeave) {
  World world(4);
  for (std::uint8_t number = 1; number <= 100; ++number) world.place(number, number, 0);
  EXPECT_LE(world.board.band_size(), 8U);
  for (std::uint8_t number = 100; number > 50; --number) {
    world.take_away(number);
    EXPECT_GE(world.board.band_size(), 2U);
  }
  EXPECT_EQ(world.board.after(std::nullopt, 101), world.sorted());
}

}  // namespace
}  // namespace tideline::scoring
