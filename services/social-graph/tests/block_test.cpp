#include "social-graph/domain/block.hpp"

#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/tests/people_for_specs.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::testing::expect_compaction_keeps_decisions;
using eventsourcing::testing::given;

const PersonBlocked kBlocked{kAda, kBob};
const PersonUnblocked kUnblocked{kAda, kBob};

TEST(Block, BeginsAndEnds) {
  given<Block>().when(BlockPerson{kAda, kBob}).then(kBlocked);
  given<Block>(kBlocked).when(UnblockPerson{kAda, kBob}).then(kUnblocked);
  given<Block>(kBlocked, kUnblocked).when(BlockPerson{kAda, kBob}).then(kBlocked);
}

TEST(Block, RepeatingChangesNothing) {
  given<Block>(kBlocked).when(BlockPerson{kAda, kBob}).then_nothing();
  given<Block>().when(UnblockPerson{kAda, kBob}).then_nothing();
}

TEST(Block, NobodyBlocksHimself) {
  given<Block>().when(BlockPerson{kAda, kAda}).then_rejected("oneself");
}

TEST(Block, CompactionKeepsDecisions) {
  expect_compaction_keeps_decisions<Block>({BlockPerson{kAda, kBob}, UnblockPerson{kAda, kBob}});
}

}  // namespace
}  // namespace tideline::social_graph
