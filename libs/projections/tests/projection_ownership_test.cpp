// A runner beside others, beside an operator, and without its database or its topics.
#include "totals_projection.hpp"

namespace tideline::projections {
namespace {

using ProjectionOwnershipTest = ProjectionRunnerTest;

TEST_F(ProjectionOwnershipTest, AReplicaWithoutPartitionsFollowsTheOwnersAndBecomesReady) {
  topics.publish(event(0, 1, "a", "5"));
  topics.publish(event(1, 1, "b", "6"));
  Totals spare_model;
  const auto spare = run(spare_model, topics.spare_source({"feed"}));
  ASSERT_TRUE(eventually([&] { return topics.polls() > 2; }));
  EXPECT_FALSE(spare->runner.status().caught_up_once) << "nobody has committed anything";
  Totals model;
  const auto owner = run(model);
  ASSERT_TRUE(spare->runner.applied().wait_for(at(0, 1), kDeadline));
  ASSERT_TRUE(spare->runner.applied().wait_for(at(1, 1), kDeadline));
  EXPECT_TRUE(eventually([&] { return spare->runner.status().caught_up_once; }));
  EXPECT_TRUE(eventually([&] { return spare->runner.status().behind.has_value(); }));
  topics.publish(event(0, 2, "a", "5"));
  EXPECT_TRUE(spare->runner.applied().wait_for(at(0, 2), kDeadline)) << "it must go on following";
  EXPECT_EQ(spare_model.applied, 0);
  EXPECT_EQ(total("a"), 10);
}

TEST_F(ProjectionOwnershipTest, WhoAnswersFromMemoryIsReadyOnceItOwnsAllOfIt) {
  topics.publish(event(0, 1, "a", "5"));
  Totals model;
  Totals spare_model;
  model.answers = spare_model.answers = true;
  const auto spare = run(spare_model, topics.spare_source({"feed"}));
  const auto owner = run(model);
  ASSERT_TRUE(spare->runner.applied().wait_for(at(0, 1), kDeadline));
  EXPECT_TRUE(eventually([&] { return owner->runner.status().caught_up_once; }));
  ASSERT_TRUE(eventually([&] { return spare->runner.status().behind.has_value(); }))
      << "it follows the owner to the end";
  EXPECT_FALSE(spare->runner.status().caught_up_once) << "its memory is empty";
}

TEST_F(ProjectionOwnershipTest, WhoHasLostAllPartitionsDropsTheMemoryOfThem) {
  Totals totals({1h, 5000});
  const auto running = run(totals);
  ASSERT_TRUE(eventually([&] { return running->runner.status().caught_up_once; }));
  topics.publish(event(0, 1, "a", "5"));
  ASSERT_TRUE(running->runner.in_memory().wait_for(at(0, 1), kDeadline));
  const int loads = totals.loads;
  topics.revoke(kFirst);
  topics.revoke({"feed", core::LogIndex(1)});
  EXPECT_TRUE(eventually([&] { return totals.loads > loads; }));
  EXPECT_TRUE(eventually([&] { return running->runner.in_memory().current() == at(0, 0); }));
  EXPECT_EQ(total("a"), 0);
}

TEST_F(ProjectionOwnershipTest, NothingIsSaidToBeInMemoryWhileItIsLoadedAnew) {
  Totals totals({1h, 5000});
  std::atomic<bool> claimed_in_load{false};
  std::atomic<eventsourcing::AppliedPositions*> in_memory{nullptr};
  totals.on_load = [&] {
    if (in_memory != nullptr && in_memory.load()->wait_for(at(0, 1), 0ms)) claimed_in_load = true;
  };
  const auto running = run(totals);
  ASSERT_TRUE(eventually([&] { return running->runner.status().caught_up_once; }));
  in_memory = &running->runner.in_memory();
  topics.publish(event(0, 1, "a", "5"));
  ASSERT_TRUE(running->runner.in_memory().wait_for(at(0, 1), kDeadline));
  const int loads = totals.loads;
  take_over(0, 0, 0);
  ASSERT_TRUE(eventually([&] { return totals.loads > loads; }));
  EXPECT_FALSE(claimed_in_load) << "a reader would take what has been taken back for his own";
  EXPECT_TRUE(running->runner.in_memory().wait_for(at(0, 1), kDeadline)) << "it is read again";
}

TEST_F(ProjectionOwnershipTest, AnIdleOwnerNoticesThatItsGenerationWasRaised) {
  Totals totals;
  const auto running = run(totals);
  ASSERT_TRUE(eventually([&] { return running->runner.status().caught_up_once; }));
  const std::int64_t generation = checkpoint(0).generation;
  take_over(0, 0, 0);
  EXPECT_TRUE(eventually([&] { return running->runner.status().rewinds == 1; }));
  EXPECT_TRUE(eventually([&] { return checkpoint(0).generation == generation + 2; }));
}

TEST_F(ProjectionOwnershipTest, ARevocationWhileTheFlushFailsWritesNothingAndLosesNothing) {
  Totals totals({1h, 5000});
  const auto running = run(totals);
  ASSERT_TRUE(eventually([&] { return running->runner.status().caught_up_once; }));
  topics.publish(event(0, 1, "a", "5"));
  ASSERT_TRUE(running->runner.in_memory().wait_for(at(0, 1), kDeadline));
  tables.fail_transactions(1'000'000);
  EXPECT_FALSE(running->runner.applied().wait_for(at(0, 1), 1ms)) << "only asks for a flush";
  ASSERT_TRUE(eventually([&] {
    running->runner.applied().wait_for(at(0, 1), 1ms);
    return running->runner.status().rewinds > 0;
  }));
  topics.revoke(kFirst);
  topics.revoke({"feed", core::LogIndex(1)});
  const std::size_t polls = topics.polls();
  ASSERT_TRUE(eventually([&] { return topics.polls() > polls + 2; }));
  topics.assign(kFirst);
  topics.assign({"feed", core::LogIndex(1)});
  tables.fail_transactions(0);
  ASSERT_TRUE(running->runner.applied().wait_for(at(0, 1), kDeadline))
      << "partitions that were paused when they went must flow when they come back";
  EXPECT_EQ(total("a"), 5);
}

TEST_F(ProjectionOwnershipTest, PollsGoOnThroughALongOutageOfTheDatabase) {
  Totals totals;
  const auto running = run(totals);
  ASSERT_TRUE(eventually([&] { return running->runner.status().caught_up_once; }));
  tables.fail_transactions(1'000'000);
  topics.publish(event(0, 1, "a", "5"));
  ASSERT_TRUE(eventually([&] { return running->runner.status().rewinds > 0; }));
  // A member of a group that does not poll would be thrown out of it.
  const std::size_t polls = topics.polls();
  ASSERT_TRUE(eventually([&] { return topics.polls() > polls + 20; }));
  EXPECT_FALSE(running->runner.status().last_problem.empty());
  const int applied_before = totals.applied;
  topics.publish(event(0, 2, "a", "6"));
  ASSERT_TRUE(eventually([&] { return topics.polls() > polls + 40; }));
  EXPECT_EQ(totals.applied, applied_before) << "nothing is taken while it cannot be written";
  tables.fail_transactions(0);
  ASSERT_TRUE(running->runner.applied().wait_for(at(0, 2), kDeadline));
  EXPECT_EQ(total("a"), 11);
  EXPECT_TRUE(tables.tables().dead_letters.empty()) << "an outage is nobody's poison";
  EXPECT_TRUE(eventually([&] { return running->runner.status().last_problem.empty(); }));
}

TEST_F(ProjectionOwnershipTest, SaysHowLongAgoItHadEverything) {
  topics.hide_ends(true);
  Totals totals;
  const auto running = run(totals);
  topics.publish(event(0, 1, "a", "5"));
  ASSERT_TRUE(running->runner.applied().wait_for(at(0, 1), kDeadline));
  EXPECT_FALSE(running->runner.status().behind) << "the topics have not said what they hold";
  EXPECT_FALSE(running->runner.status().caught_up_once);
  topics.hide_ends(false);
  ASSERT_TRUE(eventually([&] { return running->runner.status().behind.has_value(); }));
  topics.hide_ends(true);
  EXPECT_TRUE(eventually([&] { return running->runner.status().behind > 1500ms; }))
      << "topics that do not answer";
  topics.hide_ends(false);
  EXPECT_TRUE(eventually([&] { return running->runner.status().behind < 1000ms; }));
  topics.publish(event(0, 3, "a", "5"));
  EXPECT_TRUE(eventually([&] { return running->runner.status().behind > 1500ms; }))
      << "a missing position";
}

TEST_F(ProjectionOwnershipTest, ARunnerThatHangsFallsBehind) {
  std::atomic<bool> hang{true};
  Totals totals;
  totals.on_apply = [&] { hang.wait(true); };
  const auto running = run(totals);
  ASSERT_TRUE(eventually([&] { return running->runner.status().behind.has_value(); }));
  topics.publish(event(0, 1, "a", "5"));
  EXPECT_TRUE(eventually([&] { return running->runner.status().behind > 2s; }));
  EXPECT_EQ(running->runner.status().last_problem, "") << "it does not know itself";
  hang = false;
  hang.notify_all();
  EXPECT_TRUE(eventually([&] { return running->runner.status().behind < 1s; }));
}

TEST_F(ProjectionOwnershipTest, ATopicThatHasShrunkIsStillCaughtUpWith) {
  for (std::uint64_t position = 1; position <= 10; ++position) {
    topics.publish(event(0, position, "a", "1"));
  }
  tables.fail_transactions(1'000'000);
  Totals totals;
  const auto running = run(totals);
  const std::size_t polls = topics.polls();
  ASSERT_TRUE(eventually([&] { return topics.polls() > polls + 5; })) << "the ends are known now";
  topics.truncate(kFirst, 4);
  tables.fail_transactions(0);
  ASSERT_TRUE(running->runner.applied().wait_for(at(0, 4), kDeadline));
  EXPECT_TRUE(eventually([&] { return running->runner.status().caught_up_once; }));
}

TEST_F(ProjectionOwnershipTest, AnOffsetThatNoLongerFitsIsFoundByPosition) {
  take_over(0, 2, 500);  // of a topic that was made anew since
  take_over(1, 2, 0);    // of a topic that has got repeats in front
  for (std::uint64_t position = 1; position <= 3; ++position) {
    topics.publish(event(0, position, "a", "1"));
    topics.publish(event(1, 1, "b", "1"));
  }
  topics.publish(event(1, 2, "b", "1"));
  topics.publish(event(1, 3, "b", "1"));
  Totals totals;
  const auto running = run(totals);
  ASSERT_TRUE(running->runner.applied().wait_for(at(0, 3), kDeadline));
  ASSERT_TRUE(running->runner.applied().wait_for(at(1, 3), kDeadline));
  EXPECT_EQ(total("a"), 1);
  EXPECT_EQ(total("b"), 1);
}

TEST_F(ProjectionOwnershipTest, RepeatsAtTheEndCountAsRead) {
  for (const std::uint64_t position : {1, 2, 1, 2}) {
    topics.publish(event(0, position, "a", "1"));
  }
  Totals totals;
  const auto running = run(totals);
  EXPECT_TRUE(eventually([&] { return checkpoint(0).next_offset == 4; }))
      << "whoever owns nothing takes this owner for late";
  EXPECT_EQ(checkpoint(0).position, 2);
  EXPECT_EQ(total("a"), 2);
}

}  // namespace
}  // namespace tideline::projections
