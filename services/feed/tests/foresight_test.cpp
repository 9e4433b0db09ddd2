#include "feed/projections/engine/foresight.hpp"

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
class ForesightTest : public ::testing::Test {
 protected:
  ForesightTest() {
    graph.set_contacts(ada, bob, true);
    graph.set_contacts(ada, cid, true);
    timelines.resize(graph.people());
  }

  void tell_of_moment(std::uint8_t author) {
    read::MomentPublished moment;
    moment.id = core::MomentId(++moments_told);
    moment.author = account(author);
    const read::Event event(moment);
    foresight.tell(&event);
  }
  void tell_of_others(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) foresight.tell(nullptr);
  }
  PeopleArray next() const {
    const auto viewers = foresight.next_viewers();
    return {viewers.begin(), viewers.end()};
  }

  GraphMemory graph;
  MomentMemory moments;
  ViewerTimelines timelines{8, std::size_t{1} << 20};
  Foresight foresight{graph, moments, timelines};
  std::uint64_t moments_told = 0;
  const PersonIndex ada = graph.person(account(1));
  const PersonIndex bob = graph.person(account(2));
  const PersonIndex cid = graph.person(account(3));
};

TEST_F(ForesightTest, NamesTheViewersOfEachMomentRightBeforeItsTurn) {
  tell_of_moment(1);
  tell_of_others(1);
  tell_of_moment(2);
  tell_of_others(1);
  EXPECT_EQ(next(), PeopleArray()) << "another one is used before";
  tell_of_others(1);
  EXPECT_EQ(next(), (PeopleArray{bob, cid}));
  tell_of_others(1);
  EXPECT_EQ(next(), PeopleArray());
  tell_of_others(1);
  EXPECT_EQ(next(), PeopleArray{ada});
  tell_of_others(1);
  EXPECT_EQ(next(), PeopleArray());
}

TEST_F(ForesightTest, NamesNobodyForWhomNoEventHasNamed) {
  tell_of_moment(9);
  tell_of_others(Foresight::kEvents - 1);
  EXPECT_EQ(next(), PeopleArray());
}

TEST_F(ForesightTest, ForgetsWhatItWasTold) {
  tell_of_moment(1);
  tell_of_others(Foresight::kEvents - 1);
  foresight.forget();
  EXPECT_EQ(next(), PeopleArray());
}

}  // namespace
}  // namespace tideline::feed
