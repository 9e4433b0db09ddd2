#include "feed/projections/engine/fan_out_prefetcher.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "feed/projections/engine/graph_memory.hpp"
#include "feed/projections/engine/moment_memory.hpp"
#include "feed/projections/engine/viewer_timelines.hpp"

namespace tideline::feed {
namespace {

core::AccountId account(std::uint8_t number) {
  return core::AccountId(core::AccountId::Bytes{number});
}

// Ada has two contacts, Bob has one.
class FanOutPrefetcherTest : public ::testing::Test {
 protected:
  FanOutPrefetcherTest() {
    graph.set_contacts(ada, bob, true);
    graph.set_contacts(ada, cid, true);
    timelines.resize(graph.people());
  }

  void tell_of_moment(std::uint8_t author) {
    read::MomentPublished moment;
    moment.id = core::MomentId(++moments_told);
    moment.author = account(author);
    const read::Event event(moment);
    fan_out_prefetcher.prefetch(&event);
  }
  void prefetch_others(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) fan_out_prefetcher.prefetch(nullptr);
  }
  PeopleArray next() const {
    const auto viewers = fan_out_prefetcher.next_viewers();
    return {viewers.begin(), viewers.end()};
  }

  GraphMemory graph;
  MomentMemory moments;
  ViewerTimelines timelines{8, std::size_t{1} << 20};
  FanOutPrefetcher fan_out_prefetcher{graph, moments, timelines};
  std::uint64_t moments_told = 0;
  const PersonIndex ada = graph.person(account(1));
  const PersonIndex bob = graph.person(account(2));
  const PersonIndex cid = graph.person(account(3));
};

TEST_F(FanOutPrefetcherTest, NamesTheViewersOfEachMomentRightBeforeItsTurn) {
  tell_of_moment(1);
  prefetch_others(1);
  tell_of_moment(2);
  prefetch_others(1);
  EXPECT_EQ(next(), PeopleArray()) << "another one is used before";
  prefetch_others(1);
  EXPECT_EQ(next(), (PeopleArray{bob, cid}));
  prefetch_others(1);
  EXPECT_EQ(next(), PeopleArray());
  prefetch_others(1);
  EXPECT_EQ(next(), PeopleArray{ada});
  prefetch_others(1);
  EXPECT_EQ(next(), PeopleArray());
}

TEST_F(FanOutPrefetcherTest, NamesNobodyForWhomNoEventHasNamed) {
  tell_of_moment(9);
  prefetch_others(FanOutPrefetcher::kEvents - 1);
  EXPECT_EQ(next(), PeopleArray());
}

TEST_F(FanOutPrefetcherTest, ForgetsWhatItWasTold) {
  tell_of_moment(1);
  prefetch_others(FanOutPrefetcher::kEvents - 1);
  fan_out_prefetcher.forget();
  EXPECT_EQ(next(), PeopleArray());
}

}  // namespace
}  // namespace tideline::feed
