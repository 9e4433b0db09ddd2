// Parked events that an operator has applied again.
#include "totals_projection.hpp"

namespace tideline::projections {
namespace {

class ProjectionReplayTest : public ProjectionRunnerTest {
 protected:
  // Parks 2, 4 and 5 of log 0, in streams a and b.
  void park_some(const std::string& bad = "poison") {
    topics.publish(event(0, 1, "a", "1"));
    topics.publish(event(0, 2, "a", bad));
    topics.publish(event(0, 3, "c", "1"));
    topics.publish(event(0, 4, "a", "2"));
    topics.publish(event(0, 5, "b", bad));
    Totals totals;
    const auto running = run(totals);
    ASSERT_TRUE(running->runner.applied().wait_for(at(0, 5), kDeadline));
    ASSERT_EQ(tables.tables().dead_letters.size(), 3U);
  }
  std::map<std::string, std::string> reasons() {
    std::map<std::string, std::string> found;
    for (const sql::Params& letter : tables.tables().dead_letters) {
      found[*letter.at(3).text()] = *letter.back().text();
    }
    return found;
  }
};

TEST_F(ProjectionReplayTest, AppliesThemInOrderBeforeAnythingNew) {
  park_some();
  Totals totals;
  totals.healed = true;
  {
    const auto running = run(totals);
    ASSERT_TRUE(eventually([&] { return running->runner.status().caught_up_once; }));
    EXPECT_EQ(running->runner.status().parked, 3U) << "only when they are asked for";
    tables.mark_all();
    ASSERT_TRUE(eventually([&] { return tables.tables().dead_letters.empty(); }));
    topics.publish(event(0, 6, "a", "3"));
    ASSERT_TRUE(running->runner.applied().wait_for(at(0, 6), kDeadline));
    EXPECT_TRUE(eventually([&] { return running->runner.status().parked == 0; }));
  }
  EXPECT_EQ(totals.order("a"), (std::vector<std::uint64_t>{2, 4, 6}));
  EXPECT_EQ(total("a"), 1 + 100 + 2 + 3);
  EXPECT_EQ(total("b"), 100);
  EXPECT_EQ(total("c"), 1);
  EXPECT_TRUE(tables.tables().dead_letters.empty());
}

TEST_F(ProjectionReplayTest, WhatFailsAgainStaysWithItsNewReasonAndTheLaterOnesToo) {
  park_some();
  tables.mark_all();
  topics.publish(event(0, 6, "a", "3"));
  Totals totals;
  totals.why_poison = "it still says so";
  {
    const auto running = run(totals);
    ASSERT_TRUE(running->runner.applied().wait_for(at(0, 6), kDeadline));
  }
  EXPECT_EQ(reasons(), (std::map<std::string, std::string>{
                           {"2", "it still says so"},
                           {"4", "behind a parked event of its stream"},
                           {"5", "it still says so"},
                           {"6", "behind a parked event of its stream"},
                       }));
  EXPECT_TRUE(tables.tables().marked.empty()) << "each is tried once for each request";
  EXPECT_EQ(total("a"), 1);
}

TEST_F(ProjectionReplayTest, AnUnexpectedExceptionLeavesNothingHalfDone) {
  park_some("crash");
  tables.mark_all();
  Totals totals;
  {
    const auto running = run(totals);
    ASSERT_TRUE(eventually([&] { return tables.tables().marked.empty(); }));
  }
  EXPECT_EQ(reasons().size(), 3U);
  EXPECT_EQ(total("a"), 1);
  EXPECT_EQ(total("b"), 0);
}

TEST_F(ProjectionReplayTest, TheOneThatCannotBeFlushedIsFoundAndStaysParked) {
  park_some();
  tables.mark_all();
  tables.before_add = [](const std::string& stream) {
    if (stream == "b") throw sql::TransactionFailed(core::invalid_input("value out of range"));
  };
  Totals totals;
  totals.healed = true;
  {
    const auto running = run(totals);
    ASSERT_TRUE(eventually([&] { return tables.tables().marked.empty(); }));
  }
  EXPECT_EQ(reasons(), (std::map<std::string, std::string>{{"5", "value out of range"}}));
  EXPECT_EQ(total("a"), 103);
}

TEST_F(ProjectionReplayTest, AnOutageInBetweenDoesNothingTwice) {
  park_some();
  tables.mark_all();
  Totals totals;
  totals.healed = true;
  totals.on_apply = [&] {
    if (totals.applied == 3) tables.fail_transactions(2);
  };
  {
    const auto running = run(totals);
    ASSERT_TRUE(eventually([&] { return tables.tables().dead_letters.empty(); }));
  }
  EXPECT_EQ(total("a"), 103);
  EXPECT_EQ(total("b"), 100);
}

}  // namespace
}  // namespace tideline::projections
