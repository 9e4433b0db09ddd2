#include "eventsourcing/topics/partition_progress.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <vector>

namespace tideline::eventsourcing {
namespace {

using Gap = PartitionProgress::Gap;

core::LogPosition position(std::uint64_t value) { return core::LogPosition(value); }
core::KafkaOffset offset(std::int64_t value) { return core::KafkaOffset(value); }

struct Reading {
  std::vector<std::uint64_t> applied;
  bool reported = false;
};

// What the runner does with a partition that holds `positions`: reads in batches, seeks when a
// search is due, stops at the end.
Reading read_through(const std::vector<std::uint64_t>& positions, std::size_t batch,
                     std::int64_t back) {
  PartitionProgress progress;
  Reading reading;
  std::size_t next = 0;
  while (next < positions.size()) {
    for (std::size_t i = 0; i < batch && next < positions.size(); ++i, ++next) {
      const auto here = offset(static_cast<std::int64_t>(next));
      if (progress.look_at(position(positions[next]), here) != Verdict::Apply) continue;
      progress.applied(position(positions[next]), here);
      reading.applied.push_back(positions[next]);
    }
    if (progress.gap() == Gap::Detected) {
      next = static_cast<std::size_t>(
          progress.begin_search(back, offset(static_cast<std::int64_t>(positions.size()))).value());
    }
  }
  reading.reported = progress.gap() == Gap::Missing;
  return reading;
}

std::vector<std::uint64_t> one_to(std::uint64_t last) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 1; i <= last; ++i) all.push_back(i);
  return all;
}

TEST(PartitionProgress, TellsRepeatsLossesAndForeignRecordsApart) {
  PartitionProgress progress;
  progress.restart(position(4), offset(10));
  EXPECT_EQ(progress.look_at(position(4), offset(10)), Verdict::Repeat);
  EXPECT_EQ(progress.look_at(position(0), offset(11)), Verdict::Foreign);
  EXPECT_EQ(progress.look_at(position(6), offset(12)), Verdict::Hold);
  EXPECT_EQ(progress.gap(), Gap::Detected);
  EXPECT_EQ(progress.look_at(position(5), offset(13)), Verdict::Apply);
  progress.applied(position(5), offset(13));
  EXPECT_EQ(progress.next_offset(), offset(14));
  EXPECT_EQ(progress.gap(), Gap::Detected) << "6 has been passed and must be read again";
  EXPECT_EQ(progress.begin_search(100, offset(14)), offset(12));
}

TEST(PartitionProgress, LooksBackNoFurtherThanItMay) {
  PartitionProgress progress;
  progress.restart(position(4), offset(1000));
  progress.look_at(position(9), offset(1000));
  EXPECT_EQ(progress.begin_search(300, offset(1001)), offset(700));
}

TEST(PartitionProgress, ReportsWhatTheWholePartitionLacks) {
  const Reading reading = read_through({1, 2, 4, 5}, 3, 100);
  EXPECT_EQ(reading.applied, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_TRUE(reading.reported);
}

TEST(PartitionProgress, ARunThatIsPublishedAgainIsAppliedOnce) {
  const Reading reading = read_through({1, 2, 4, 5, 3, 4, 5, 6}, 3, 100);
  EXPECT_EQ(reading.applied, one_to(6));
  EXPECT_FALSE(reading.reported);
}

// Whatever is repeated and swapped: a partition that holds every position gives each once, in
// order.
TEST(PartitionProgress, AppliesEveryPositionOnceAndInOrder) {
  EXPECT_TRUE(rc::check("each once", [] {
    const auto last = *rc::gen::inRange<std::uint64_t>(1, 40);
    std::vector<std::uint64_t> positions = one_to(last);
    for (const auto extra : *rc::gen::container<std::vector<std::uint64_t>>(
             rc::gen::inRange<std::uint64_t>(0, last + 1))) {
      positions.push_back(extra);
    }
    const auto swaps = *rc::gen::container<std::vector<std::size_t>>(
        rc::gen::inRange<std::size_t>(0, positions.size()));
    for (std::size_t i = 1; i < swaps.size(); ++i)
      std::swap(positions[swaps[i - 1]], positions[swaps[i]]);
    const auto batch = *rc::gen::inRange<std::size_t>(1, 10);
    const Reading reading = read_through(positions, batch, 1000);
    RC_ASSERT(reading.applied == one_to(last));
    RC_ASSERT(!reading.reported);
  }));
}

}  // namespace
}  // namespace tideline::eventsourcing
