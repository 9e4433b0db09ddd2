#include "scoring/domain/rules.hpp"

#include <gtest/gtest.h>

namespace tideline::scoring {
namespace {

core::Day day(const char* text) { return core::parse_day(text).value(); }

TEST(RulesTest, ANewSetBeginsWithItsDay) {
  const RuleBook book({{1, day("2026-01-01"), {{Reason::SignIn, 3}}},
                       {2, day("2026-02-01"), {{Reason::SignIn, 4}}}});
  EXPECT_EQ(book.on(day("2025-01-01")).version, 1);
  EXPECT_EQ(book.on(day("2026-01-31")).version, 1);
  EXPECT_EQ(book.on(day("2026-02-01")).version, 2);
  EXPECT_EQ(book.on(day("2027-02-01")).find(Reason::SignIn)->points, 4);
  EXPECT_EQ(book.on(day("2027-02-01")).find(Reason::Comment), nullptr);
}

TEST(RulesTest, ReasonsHaveNamesOfTheirOwn) {
  for (std::size_t i = 0; i < kReasonCount; ++i) {
    const auto reason = static_cast<Reason>(i);
    EXPECT_EQ(reason_named(name_of(reason)), reason);
  }
  EXPECT_FALSE(reason_named("luck").has_value());
}

TEST(LevelsTest, BeginAtTheirThresholds) {
  const Levels& levels = Levels::standard();
  EXPECT_EQ(levels.level_of(-1), 0);
  EXPECT_EQ(levels.level_of(0), 1);
  EXPECT_EQ(levels.level_of(49), 1);
  EXPECT_EQ(levels.level_of(50), 2);
  EXPECT_EQ(levels.next_at(-1), 0);
  EXPECT_EQ(levels.next_at(0), 50);
  EXPECT_EQ(levels.next_at(50), 150);
  EXPECT_EQ(levels.level_of(1'000'000'000), 10);
  EXPECT_FALSE(levels.next_at(1'000'000'000).has_value());
}

}  // namespace
}  // namespace tideline::scoring
