#include "core/clock.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tideline::core {
namespace {

// Years 0001 to 9999: what the text form can hold.
Timestamp any_time() {
  constexpr std::int64_t kFirst = -62'135'596'800'000'000;
  constexpr std::int64_t kLast = 253'402'300'799'999'999;
  return Timestamp(std::chrono::microseconds(*rc::gen::inRange(kFirst, kLast)));
}

TEST(Iso8601, GivesTheTimeBackAndOrdersLikeIt) {
  EXPECT_TRUE(rc::check("round trip and order", [] {
    const Timestamp one = any_time();
    const Timestamp other = any_time();
    RC_ASSERT(parse_iso8601(format_iso8601(one)) == one);
    RC_ASSERT((format_iso8601(one) < format_iso8601(other)) == (one < other));
    RC_ASSERT(parse_day(format_day(utc_day(one))) == utc_day(one));
  }));
}

TEST(Iso8601, HasAlwaysSixDecimals) {
  EXPECT_EQ(format_iso8601(Timestamp()), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(format_iso8601(Timestamp(std::chrono::microseconds(-1))),
            "1969-12-31T23:59:59.999999Z");
}

TEST(Iso8601, ReadsFewerDecimals) {
  const auto expected = *parse_iso8601("2026-01-02T03:04:05.600000Z");
  EXPECT_EQ(parse_iso8601("2026-01-02T03:04:05.6Z"), expected);
  EXPECT_EQ(parse_iso8601("2026-01-02T03:04:05Z"), expected - std::chrono::milliseconds(600));
}

TEST(Iso8601, RefusesEverythingElse) {
  for (const char* text :
       {"", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02T03:04:05+00:00",
        "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-02T24:00:00Z",
        "2026-01-02T03:60:00Z", "2026-01-02T03:04:60Z", "2026-01-02 03:04:05Z",
        "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05.1234567Z", "2026-01-02T03:04:05.-1Z",
        "-026-01-02T03:04:05Z", "2026-01-02T03:04:05ZZ"}) {
    EXPECT_FALSE(parse_iso8601(text).has_value()) << text;
  }
}

TEST(Days, AreRealDays) {
  EXPECT_TRUE(parse_day("2024-02-29").has_value());
  for (const char* text : {"2023-02-29", "2026-00-01", "2026-1-01", "20260101", "2026-01-01 "}) {
    EXPECT_FALSE(parse_day(text).has_value()) << text;
  }
}

TEST(Days, OfATimeAreCutInUtc) {
  EXPECT_EQ(format_day(utc_day(*parse_iso8601("2026-01-02T23:59:59.999999Z"))), "2026-01-02");
  EXPECT_EQ(format_day(utc_day(Timestamp(std::chrono::microseconds(-1)))), "1969-12-31");
}

TEST(Clocks, TheManualOneMovesOnlyWhenTold) {
  ManualClock clock(*parse_iso8601("2026-01-02T03:04:05Z"));
  const Timestamp before = clock.now();
  EXPECT_EQ(clock.now(), before);
  clock.advance(std::chrono::seconds(2));
  EXPECT_EQ(clock.now(), before + std::chrono::seconds(2));
}

// Like the steady clock, of which it differs by the time that the machine has slept.
TEST(TimeSinceBoot, GoesOnByItself) {
  const auto steady = std::chrono::steady_clock::now().time_since_epoch();
  const auto first = time_since_boot();
  EXPECT_GE(first, std::chrono::nanoseconds(steady));
  EXPECT_GT(time_since_boot(), first);
}

}  // namespace
}  // namespace tideline::core
