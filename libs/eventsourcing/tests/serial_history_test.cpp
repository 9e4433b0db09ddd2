// The model of the races is worth something only if it tells wrong histories.
#include "eventsourcing/testing/serial_history.hpp"

#include <gtest/gtest.h>

#include "eventsourcing/testing/appends.hpp"

namespace tideline::eventsourcing::testing {
namespace {

constexpr std::uint32_t kLogs = 2;

// Two streams in log 0, one in log 1.
std::string stream_in(std::uint32_t log, std::string name) {
  while (core::log_of(name, kLogs).value() != log) name += "x";
  return name;
}

class SerialHistory : public ::testing::Test {
 protected:
  // A right history, as the in-memory store gives it when nobody else writes.
  Told& call(const std::string& marker, Append append) {
    append.result.body = marker;
    Told one{marker, append, store_.append(append).value(), false, ++ticks_};
    one.ended = ++ticks_;
    history_.told.push_back(std::move(one));
    return history_.told.back();
  }
  Told& call(const std::string& marker, const std::string& stream, std::uint64_t expected) {
    return call(marker, Appends({}).on(stream, expected, {marker}).take());
  }
  Append with_key(const std::string& marker, const std::string& stream, std::uint64_t expected) {
    Append append = Appends({}).on(stream, expected, {marker}).take();
    append.idempotency = IdempotencyKey{"me", "r", "k", "h"};
    return append;
  }
  // In no real time's order.
  static void together(Told& one) {
    one.began = 0;
    one.ended = 1'000;
  }
  std::string verdict() {
    for (std::uint32_t log = 0; log < kLogs; ++log) {
      history_.logs.push_back(
          store_.read_log(core::LogIndex(log), core::LogPosition(0), 100).value());
    }
    if (spoil_) spoil_(history_);
    return why_not_serial(history_);
  }

  const std::string a_ = stream_in(0, "a");
  const std::string b_ = stream_in(0, "b");
  const std::string c_ = stream_in(1, "c");
  core::ManualClock clock_{core::Timestamp()};
  core::SeededRandom random_{1};
  InMemoryEventStore store_{"feed", kLogs, clock_, random_};
  History history_{"feed", {core::LogPosition(0), core::LogPosition(0)}, {}, {}};
  std::function<void(History&)> spoil_;
  std::uint64_t ticks_ = 0;
};

TEST_F(SerialHistory, ARightOneIsExplained) {
  call("1", a_, 0);
  call("2", Appends({}).on(a_, 1, {"2", "2"}).on(c_, 0, {"2"}).take());
  call("3", with_key("3", a_, 3));
  call("4", with_key("4", a_, 9));
  call("5", c_, 0);
  EXPECT_EQ(verdict(), "");
}

TEST_F(SerialHistory, TheOrderOfTheRecordDoesNotCount) {
  together(call("1", a_, 0));
  together(call("2", a_, 0));
  std::swap(history_.told[0], history_.told[1]);
  EXPECT_EQ(verdict(), "");
}

TEST_F(SerialHistory, AnEventThatIsLostIsNoticed) {
  call("1", a_, 0);
  call("2", c_, 0);
  spoil_ = [](History& history) { history.logs[1].clear(); };
  EXPECT_EQ(verdict(), "log 1 is not what the serial order gives");
}

TEST_F(SerialHistory, HalfAnAppendIsNoticed) {
  call("1", Appends({}).on(a_, 0, {"1"}).on(c_, 0, {"1"}).take());
  spoil_ = [](History& history) { history.logs[1].clear(); };
  EXPECT_EQ(verdict(), "log 1 is not what the serial order gives");
}

TEST_F(SerialHistory, AnAppendThatWasRefusedAndIsThereIsNoticed) {
  call("1", a_, 0).outcome = VersionConflict{core::StreamId(a_), core::StreamVersion(0)};
  EXPECT_EQ(verdict(), "1 is there, but nobody was told that it was done");
}

TEST_F(SerialHistory, AConflictThatNoMomentGivesIsNoticed) {
  call("1", Appends({}).on(a_, 0, {"1", "1"}).take());
  call("2", a_, 1).outcome = VersionConflict{core::StreamId(a_), core::StreamVersion(1)};
  EXPECT_EQ(verdict(), "2 saw " + a_ + " at 1, where nobody has left it");
}

TEST_F(SerialHistory, AConflictThatNothingCausedIsNoticed) {
  call("1", a_, 0);
  call("2", a_, 7).append.streams[0].expected = core::StreamVersion(1);
  EXPECT_EQ(verdict(), "2 was told what the serial order does not give");
}

TEST_F(SerialHistory, AnAssertionThatDidNotHoldIsNoticedAcrossLogs) {
  // Each saw the other's stream as it was before the other: one of them was second.
  Append one = Appends({}).on(a_, 0, {"1"}).take();
  one.assertions = {{core::StreamId(c_), core::StreamVersion(0)}};
  together(call("1", one));
  Told& two = call("2", c_, 0);
  two.append.assertions = {{core::StreamId(a_), core::StreamVersion(0)}};
  together(two);
  EXPECT_EQ(verdict(), "no serial order holds what was seen");
}

TEST_F(SerialHistory, AnAnswerFromThePastIsNoticed) {
  call("1", a_, 0);
  // Begun after the first had returned, and told as if it had come before.
  call("2", a_, 5).outcome = VersionConflict{core::StreamId(a_), core::StreamVersion(0)};
  EXPECT_EQ(verdict(), "no serial order holds what was seen");
}

TEST_F(SerialHistory, AKeyThatWasDoneTwiceIsNoticed) {
  call("1", with_key("1", a_, 0));
  Told& again = call("2", a_, 1);
  again.append.idempotency = history_.told.front().append.idempotency;
  EXPECT_NE(verdict(), "");
}

TEST_F(SerialHistory, AnotherResultThanTheFirstIsNoticed) {
  call("1", with_key("1", a_, 0));
  Told& again = call("2", with_key("2", a_, 0));
  std::get<AlreadyDone>(*again.outcome).result.status = 404;
  EXPECT_EQ(verdict(), "2 was told what the serial order does not give");
}

TEST_F(SerialHistory, WhatNobodyKnowsMayHaveBeenDoneOrNot) {
  Told& done = call("1", a_, 0);
  done.outcome.reset();
  done.perhaps = true;
  history_.told.push_back({"2", Appends({}).on(b_, 0, {"2"}).take(), std::nullopt, true, 3});
  call("3", a_, 1);
  EXPECT_EQ(verdict(), "");
}

TEST_F(SerialHistory, WhatFailedForCertainIsNotThere) {
  call("1", a_, 0).outcome.reset();
  EXPECT_EQ(verdict(), "1 is there, but nobody was told that it was done");
}

}  // namespace
}  // namespace tideline::eventsourcing::testing
