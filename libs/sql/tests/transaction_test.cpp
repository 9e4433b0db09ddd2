#include "sql/transaction.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

namespace tideline::sql {
namespace {

Row row_of(const Param& value) { return Row({value.text()}); }

TEST(Params, AreTextAsPostgresReadsIt) {
  EXPECT_EQ(Param(true).text(), "true");
  EXPECT_EQ(Param(-5).text(), "-5");
  EXPECT_EQ(Param(std::numeric_limits<std::uint64_t>::max()).text(), "18446744073709551615");
  EXPECT_EQ(Param(0.1).text(), "0.1");
  EXPECT_EQ(Param("text").text(), "text");
  EXPECT_EQ(Param(std::nullopt).text(), std::nullopt);
  EXPECT_EQ(Param(std::optional<int>()).text(), std::nullopt);
  EXPECT_EQ(Param(std::optional<int>(3)).text(), "3");
  EXPECT_EQ(Param(core::LogPosition(7)).text(), "7");
  EXPECT_EQ(Param(core::StreamId("s-1")).text(), "s-1");
  EXPECT_EQ(Param(core::AccountId()).text(), "00000000-0000-0000-0000-000000000000");
  EXPECT_EQ(Param(*core::parse_day("2026-01-02")).text(), "2026-01-02");
  EXPECT_EQ(Param(*core::parse_iso8601("2026-01-02T03:04:05Z")).text(),
            "2026-01-02T03:04:05.000000Z");
}

TEST(Params, OfVectorsAreArrayLiterals) {
  EXPECT_EQ(Param(std::vector<int>{1, 2}).text(), R"({"1","2"})");
  EXPECT_EQ(Param(std::vector<int>{}).text(), "{}");
  EXPECT_EQ(Param(std::vector<int>{-1}).text(), R"({"-1"})");
  EXPECT_EQ(Param(std::vector<bool>{true, false}).text(), R"({"true","false"})");
  EXPECT_EQ(Param(std::vector{core::AccountId()}).text(),
            R"({"00000000-0000-0000-0000-000000000000"})");
  EXPECT_EQ(Param(std::vector{*core::parse_day("1969-12-31")}).text(), R"({"1969-12-31"})");
  EXPECT_EQ(Param(std::vector{*core::parse_iso8601("1999-12-31T23:59:59.999999Z")}).text(),
            R"({"1999-12-31T23:59:59.999999Z"})");
  EXPECT_EQ(Param(std::vector{core::LogPosition(7)}).text(), R"({"7"})");
  EXPECT_EQ(Param(std::vector<std::optional<int>>{1, std::nullopt}).text(), R"({"1",NULL})");
  EXPECT_EQ(Param(std::vector<std::string>{"a\"b", "c\\d", "", "NULL"}).text(),
            R"({"a\"b","c\\d","","NULL"})");
}

TEST(Rows, GiveArraysOfAnyTextBack) {
  EXPECT_TRUE(rc::check("round trip", [](const std::vector<std::string>& items) {
    RC_ASSERT(row_of(Param(items)).text_array(0) == items);
  }));
}

// PostgreSQL leaves out the quotes where it can.
TEST(Rows, ReadArraysAsPostgresPrintsThem) {
  EXPECT_EQ(row_of("{}").text_array(0), std::vector<std::string>{});
  EXPECT_EQ(row_of(R"({a,"b,c","","d\"e"})").text_array(0),
            (std::vector<std::string>{"a", "b,c", "", "d\"e"}));
}

TEST(Rows, GiveValuesBack) {
  EXPECT_TRUE(rc::check("integers",
                        [](std::int64_t value) { RC_ASSERT(row_of(value).integer(0) == value); }));
  EXPECT_TRUE(row_of("t").boolean(0));
  EXPECT_FALSE(row_of("f").boolean(0));
  const core::AccountId id({1, 2, 3});
  EXPECT_EQ(row_of(id).account(0), id);
  EXPECT_EQ(row_of("2026-01-02").day(0), *core::parse_day("2026-01-02"));
  EXPECT_EQ(row_of(1'500'000).timestamp_us(0), core::Timestamp(std::chrono::milliseconds(1500)));
  EXPECT_TRUE(row_of(std::nullopt).is_null(0));
  EXPECT_EQ(row_of(std::nullopt).nullable_text(0), std::nullopt);
}

TEST(RowsDeathTest, AColumnOfAnotherTypeIsABug) {
  EXPECT_DEATH(static_cast<void>(row_of("x").integer(0)), "not an integer");
  EXPECT_DEATH(static_cast<void>(row_of(std::nullopt).text(0)), "NULL");
  EXPECT_DEATH(static_cast<void>(row_of("x").account(0)), "not a uuid");
}

}  // namespace
}  // namespace tideline::sql
