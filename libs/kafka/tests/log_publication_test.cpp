#include "kafka/log_publication.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tideline::kafka {
namespace {

core::LogPosition position(std::uint64_t value) { return core::LogPosition(value); }
core::KafkaOffset offset(std::int64_t value) { return core::KafkaOffset(value); }

std::string id(std::uint64_t position) { return "event-" + std::to_string(position); }

LogPublication::Held held(std::uint64_t reached, std::int64_t end = 0) {
  return {position(reached), position(reached), id(reached), offset(end)};
}

// Held up to 10; 11, 12 and 13 sent.
LogPublication three_sent() {
  LogPublication log;
  log.resume(held(10));
  for (std::uint64_t i = 11; i <= 13; ++i) log.note_sent(position(i), id(i));
  return log;
}

TEST(LogPublication, AcknowledgesInOrder) {
  LogPublication log = three_sent();
  EXPECT_EQ(log.acknowledged(), position(10));
  EXPECT_TRUE(log.delivered(position(11), 100));
  EXPECT_TRUE(log.delivered(position(12), 101));
  EXPECT_EQ(log.acknowledged(), position(12));
  EXPECT_EQ(log.in_flight(), 1U);
}

TEST(LogPublication, ReportsOutOfTurnAreNotTrusted) {
  LogPublication skips = three_sent();
  EXPECT_FALSE(skips.delivered(position(12), 100));
  EXPECT_EQ(skips.acknowledged(), position(10));
  LogPublication repeats = three_sent();
  EXPECT_TRUE(repeats.delivered(position(11), 100));
  EXPECT_FALSE(repeats.delivered(position(12), 100)) << "an offset that is not above the last";
  LogPublication unknown = three_sent();
  EXPECT_FALSE(unknown.delivered(position(11), -1)) << "delivered, but where is not known";
  LogPublication nothing_sent;
  nothing_sent.resume(held(10));
  EXPECT_FALSE(nothing_sent.delivered(position(11), 100));
}

TEST(LogPublication, SendsAgainFromWhereAReaderMisses) {
  LogPublication log = three_sent();
  for (std::uint64_t i = 11; i <= 13; ++i) ASSERT_TRUE(log.delivered(position(i), 89 + i));
  EXPECT_TRUE(log.send_again(position(7), offset(103)));
  EXPECT_EQ(log.sent(), position(6));
  EXPECT_EQ(log.acknowledged(), position(13)) << "what Kafka has is not taken back";
  for (std::uint64_t i = 7; i <= 13; ++i) log.note_sent(position(i), id(i));
  EXPECT_TRUE(log.delivered(position(7), 103));
  EXPECT_EQ(log.acknowledged(), position(13));
  EXPECT_FALSE(log.send_again(position(7), offset(103))) << "the reader will come to it";
  EXPECT_FALSE(log.send_again(position(9), offset(105)));
  EXPECT_TRUE(log.send_again(position(9), offset(200))) << "read up to 200 and not found";
}

TEST(LogPublication, WhatIsStillToBeSentIsNotSentTwice) {
  LogPublication log = three_sent();
  EXPECT_FALSE(log.send_again(position(11), offset(100))) << "under way";
  EXPECT_FALSE(log.send_again(position(14), offset(100))) << "its turn will come";
  EXPECT_FALSE(log.send_again(position(0), offset(100)));
  EXPECT_EQ(log.sent(), position(13));
}

TEST(LogPublication, ResumesBehindWhatThePartitionHolds) {
  LogPublication log = three_sent();
  log.resume(held(11, 5));
  EXPECT_EQ(log.sent(), position(11));
  EXPECT_EQ(log.in_flight(), 0U);
  log.note_sent(position(12), id(12));
  EXPECT_EQ(log.last_offset(), 4);
  EXPECT_TRUE(log.delivered(position(12), 5)) << "offsets count from the partition's end";
}

TEST(LogPublication, AReportBeforeTheEndThatWasSeenIsNotTrusted) {
  LogPublication log;
  log.resume(held(10, 100));
  log.note_sent(position(11), id(11));
  EXPECT_FALSE(log.delivered(position(11), 99)) << "the partition has shrunk meanwhile";
}

TEST(LogPublication, KnowsTheNewestEventAgain) {
  LogPublication log = three_sent();
  EXPECT_TRUE(log.agrees(position(13), id(13)));
  EXPECT_FALSE(log.agrees(position(13), "another"));
  EXPECT_TRUE(log.agrees(position(14), "another")) << "nothing is known of it";
  for (std::uint64_t i = 11; i <= 13; ++i) ASSERT_TRUE(log.delivered(position(i), 89 + i));
  ASSERT_TRUE(log.send_again(position(7), offset(103)));
  log.note_sent(position(7), id(7));
  EXPECT_FALSE(log.agrees(position(13), "another")) << "also when it is sent again";
  log.resume({position(10), position(12), id(12), offset(50)});
  EXPECT_FALSE(log.agrees(position(12), "another")) << "also one beyond a hole";
}

}  // namespace
}  // namespace tideline::kafka
