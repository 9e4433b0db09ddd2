// The demo's own computation, held to the words of the design by small cases.

#include "demo/oracle.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "demo/graph.hpp"
#include "demo/plan.hpp"

namespace tideline::demo {
namespace {

constexpr PersonIndex kAuthor = 0;
constexpr PersonIndex kFriend = 1;
constexpr PersonIndex kStranger = 2;

class Oracle : public ::testing::Test {
 protected:
  Oracle() {
    world_.people.resize(3);
    world_.contacts.resize(3);
    world_.following.resize(3);
    world_.hides.resize(3);
    world_.hidden_from.resize(3);
    world_.contacts[kAuthor].insert(kFriend);
    world_.contacts[kFriend].insert(kAuthor);
  }

  Moment& publish(Audience audience) {
    world_.moments.push_back({world_.moments.size() + 1, kAuthor, audience, {}, {}, {}, "", false});
    return world_.moments.back();
  }
  std::size_t seen_by(PersonIndex viewer) const { return timeline_of(world_, viewer).size(); }

  World world_;
};

TEST_F(Oracle, APublicMomentReachesContactsAndTheAuthorButNoStranger) {
  publish(Audience::Public);
  EXPECT_EQ(seen_by(kAuthor), 1U);
  EXPECT_EQ(seen_by(kFriend), 1U);
  EXPECT_EQ(seen_by(kStranger), 0U);
  EXPECT_EQ(page_of(world_, kAuthor, kStranger).size(), 1U);
}

TEST_F(Oracle, AFollowerWhoIsNoContactGetsThePublicOnesAlone) {
  world_.following[kStranger].insert(kAuthor);
  publish(Audience::Public);
  publish(Audience::PartlyInvisible);
  publish(Audience::Private);
  EXPECT_EQ(seen_by(kStranger), 1U);
}

TEST_F(Oracle, EmptyListsMeanNobodyAndAllContacts) {
  publish(Audience::PartlyVisible);
  EXPECT_EQ(seen_by(kFriend), 0U);
  publish(Audience::PartlyInvisible);
  EXPECT_EQ(seen_by(kFriend), 1U);
}

TEST_F(Oracle, TagsAndGroupsNameTheirPeopleUntilTheyAreTakenBack) {
  world_.tags.push_back({"t", kAuthor, {kFriend}});
  world_.groups.push_back({"g", "chess", kStranger, {kFriend}, false});
  publish(Audience::PartlyVisible).tags = {0};
  publish(Audience::PartlyVisible).groups = {0};
  publish(Audience::PartlyInvisible).tags = {0};
  EXPECT_EQ(seen_by(kFriend), 2U);
  world_.groups[0].dissolved = true;
  EXPECT_EQ(seen_by(kFriend), 1U);
  world_.tags[0].people.clear();
  EXPECT_EQ(seen_by(kFriend), 1U) << "the partly invisible one instead";
}

TEST_F(Oracle, ExclusionsActInBothDirectionsAndOnlyOneOnThePage) {
  publish(Audience::Public);
  world_.hides[kFriend].insert(kAuthor);
  EXPECT_EQ(seen_by(kFriend), 0U);
  EXPECT_EQ(page_of(world_, kAuthor, kFriend).size(), 1U);
  world_.hides[kFriend].clear();
  world_.hidden_from[kAuthor].insert(kFriend);
  EXPECT_EQ(seen_by(kFriend), 0U);
  EXPECT_EQ(page_of(world_, kAuthor, kFriend).size(), 0U);
}

TEST_F(Oracle, NewestFirstWithoutWhatWasDeleted) {
  publish(Audience::Public);
  publish(Audience::Public).deleted = true;
  publish(Audience::Public);
  const auto timeline = timeline_of(world_, kFriend);
  ASSERT_EQ(timeline.size(), 2U);
  EXPECT_EQ(timeline[0]->id, 3U);
  EXPECT_EQ(timeline[1]->id, 1U);
}

TEST(Plan, TheSameSeedGivesTheSamePlanAndAnotherSeedAnother) {
  const Graph graph = generate_campus(60, 6, 3);
  const Plan one = make_plan(graph, 2, 7);
  const Plan again = make_plan(graph, 2, 7);
  const Plan other = make_plan(graph, 2, 8);
  EXPECT_EQ(one.contacts, again.contacts);
  EXPECT_EQ(one.visits, again.visits);
  EXPECT_NE(one.contacts, other.contacts);
  EXPECT_EQ(one.moments_before.size() + one.moments_after.size(), 120U);
}

TEST(Graph, EdgesAreReadOnceEachWhateverTheirDirection) {
  const std::string path = ::testing::TempDir() + "edges-" + std::to_string(getpid());
  std::ofstream(path) << "# a comment\n1 0\n0 1\n2\t1 0.5\n\n3 3\n";
  const auto graph = read_edges(path);
  std::remove(path.c_str());
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->names, (std::vector<std::string>{"1", "0", "2", "3"}));
  EXPECT_EQ(graph->edges.size(), 2U);
}

TEST(Graph, ALineWithOneIdIsAnErrorThatNamesTheLine) {
  const std::string path = ::testing::TempDir() + "broken-" + std::to_string(getpid());
  std::ofstream(path) << "1 0\n2\n";
  const auto graph = read_edges(path);
  std::remove(path.c_str());
  ASSERT_FALSE(graph.ok());
  EXPECT_NE(graph.error().message.find(":2:"), std::string::npos) << graph.error().message;
}

TEST(Graph, APersonOfMoreFriendsThanTheContactLimitIsAnErrorThatNamesHim) {
  const Graph graph{{"1", "0", "star", "3"}, {{0, 2}, {1, 2}, {2, 3}, {0, 1}}};
  EXPECT_TRUE(check_contact_limit(graph, 3).ok());
  const auto checked = check_contact_limit(graph, 2);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().message,
            "person star of the graph has 3 friends, and the contact limit is 2: run with "
            "--contact-limit 3");
}

}  // namespace
}  // namespace tideline::demo
