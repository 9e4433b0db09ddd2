#include "social-graph/domain/tag.hpp"

#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "social-graph/domain/tagging.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/tests/people_for_specs.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::testing::expect_compaction_keeps_decisions;
using eventsourcing::testing::given;

const TagCreated kCreated{kAda, kTagId, "family"};
const TagDeleted kDeleted{kAda, kTagId};
const ContactTagged kTagged{kAda, kTagId, kBob};
const ContactUntagged kUntagged{kAda, kTagId, kBob};

TEST(Tag, IsCreatedAndDeletedByItsOwner) {
  given<Tag>().when(CreateTag{kAda, kTagId, "family"}).then(kCreated);
  given<Tag>(kCreated).when(DeleteTag{kAda, kTagId}).then(kDeleted);
  given<Tag>(kCreated, kDeleted).when(DeleteTag{kAda, kTagId}).then_nothing();
}

TEST(Tag, IsUnknownToEverybodyElse) {
  given<Tag>(kCreated).when(DeleteTag{kBob, kTagId}).then_rejected("no-such-tag");
  given<Tag>().when(DeleteTag{kAda, kTagId}).then_rejected("no-such-tag");
}

TEST(Tag, IsUsedByItsOwnerWhileItIsThere) {
  Tag::State state = Tag::evolve({}, kCreated);
  EXPECT_EQ(Tag::refuse_use(state, kAda), std::nullopt);
  EXPECT_EQ(Tag::refuse_use(state, kBob)->code, "no-such-tag");
  EXPECT_EQ(Tag::refuse_use({}, kAda)->code, "no-such-tag");
  state = Tag::evolve(state, kDeleted);
  EXPECT_EQ(Tag::refuse_use(state, kAda)->code, "no-such-tag");
}

TEST(Tagging, GoesOnContacts) {
  given<Tagging>().when(TagContact{kAda, kTagId, kBob, true}).then(kTagged);
  given<Tagging>().when(TagContact{kAda, kTagId, kBob, false}).then_rejected("not-a-contact");
}

TEST(Tagging, OutlivesTheContact) {
  given<Tagging>(kTagged).when(TagContact{kAda, kTagId, kBob, false}).then_nothing();
}

TEST(Tagging, IsTakenOff) {
  given<Tagging>(kTagged).when(UntagContact{kAda, kTagId, kBob}).then(kUntagged);
  given<Tagging>(kTagged, kUntagged).when(UntagContact{kAda, kTagId, kBob}).then_nothing();
  given<Tagging>(kTagged, kUntagged).when(TagContact{kAda, kTagId, kBob, true}).then(kTagged);
}

TEST(Tagging, CompactionKeepsDecisions) {
  expect_compaction_keeps_decisions<Tagging>(
      {TagContact{kAda, kTagId, kBob, true}, UntagContact{kAda, kTagId, kBob}});
}

}  // namespace
}  // namespace tideline::social_graph
