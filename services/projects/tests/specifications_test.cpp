// What the deciders of projects promise, given / when / then.

#include <gtest/gtest.h>

#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "projects/domain/advice.hpp"
#include "projects/domain/comments.hpp"
#include "projects/domain/documents.hpp"
#include "projects/domain/project.hpp"
#include "projects/domain/removal.hpp"
#include "projects/domain/vote.hpp"
#include "projects/domain/voting.hpp"
#include "projects/stored_events.hpp"

namespace tideline::projects {
namespace {

using eventsourcing::testing::expect_compaction_keeps_decisions;
using eventsourcing::testing::given;

const core::AccountId kAda({1});
const core::AccountId kBob({2});
const std::string kId(26, '0');
const core::Timestamp kNow = *core::parse_iso8601("2026-03-04T05:06:07.000008Z");
const Card kCard{"Tide tables", "When to swim", "https://tides.example"};

ProjectCreated created() { return {kId, kAda, kCard, {{"sea"}}, kNow}; }
CommentAdded comment(std::int64_t id, std::int64_t parent) {
  return {kId, kAda, id, parent, kBob, "Nice"};
}

TEST(Project, IsCreatedAsItsAuthorDescribesIt) {
  given<Project>().when(CreateProject{kId, kAda, kCard, {{"sea"}}, kNow}).then(created());
}

TEST(Project, AnEditChangesWhatItNamesAndNothingElse) {
  EditProject edit;
  edit.editor = kAda;
  edit.texts = {{&Card::introduction, "When not to swim"}};
  given<Project>(created()).when(edit).then(ProjectEdited{
      kId, kAda, {"Tide tables", "When not to swim", "https://tides.example"}, {{"sea"}}});
}

TEST(Project, ALinkCanBeTakenAway) {
  EditProject edit;
  edit.editor = kAda;
  edit.optional_texts = {{&Card::link, std::nullopt}};
  given<Project>(created()).when(edit).then(
      ProjectEdited{kId, kAda, {"Tide tables", "When to swim", std::nullopt}, {{"sea"}}});
}

TEST(Project, AnEditThatChangesNothingIsNoEvent) {
  EditProject edit;
  edit.editor = kAda;
  edit.texts = {{&Card::name, "Tide tables"}};
  edit.labels = Labels{{"sea"}};
  given<Project>(created()).when(edit).then_nothing();
}

TEST(Project, OnlyItsAuthorEditsIt) {
  EditProject edit;
  edit.editor = kBob;
  edit.texts = {{&Card::name, "Mine now"}};
  given<Project>(created()).when(edit).then_rejected("not-the-author");
  given<Project>().when(edit).then_rejected("no-such-project");
}

TEST(Project, ItsAuthorGivesItAnIconAndTakesItAway) {
  const std::string icon(64, 'a');
  const ProjectIconChanged changed{kId, kAda, icon};
  given<Project>(created()).when(ChangeIcon{kAda, icon}).then(changed);
  given<Project>(created(), changed).when(ChangeIcon{kAda, icon}).then_nothing();
  given<Project>(created(), changed)
      .when(ChangeIcon{kAda, std::nullopt})
      .then(ProjectIconChanged{kId, kAda, std::nullopt});
  given<Project>(created()).when(ChangeIcon{kAda, std::nullopt}).then_nothing();
  given<Project>(created()).when(ChangeIcon{kBob, icon}).then_rejected("not-the-author");
  given<Project>().when(ChangeIcon{kAda, icon}).then_rejected("no-such-project");
}

TEST(Project, ItsAuthorWithdrawsItAndRestoresIt) {
  const ProjectWithdrawn withdrawn{kId, kAda};
  const ProjectRestored restored{kId, kAda};
  given<Project>(created()).when(WithdrawProject{kAda}).then(withdrawn);
  given<Project>(created(), withdrawn).when(WithdrawProject{kAda}).then_nothing();
  given<Project>(created(), withdrawn).when(RestoreProject{kAda}).then(restored);
  given<Project>(created(), withdrawn, restored).when(RestoreProject{kAda}).then_nothing();
  given<Project>(created(), withdrawn, restored).when(WithdrawProject{kAda}).then(withdrawn);
  given<Project>(created()).when(RestoreProject{kAda}).then_nothing();
  given<Project>(created()).when(WithdrawProject{kBob}).then_rejected("not-the-author");
  given<Project>(created(), withdrawn).when(RestoreProject{kBob}).then_rejected("not-the-author");
  given<Project>().when(WithdrawProject{kAda}).then_rejected("no-such-project");
  given<Project>().when(RestoreProject{kAda}).then_rejected("no-such-project");
}

TEST(Project, IsAbandonedOnceAndStillWithdrawn) {
  const ProjectAbandoned abandoned{kId, kAda};
  given<Project>(created()).when(AbandonProject{}).then(abandoned);
  given<Project>(created(), abandoned).when(AbandonProject{}).then_nothing();
  given<Project>(created(), ProjectWithdrawn{kId, kAda}).when(AbandonProject{}).then(abandoned);
  given<Project>().when(AbandonProject{}).then_rejected("no-such-project");
}

AddComment add_comment(std::int64_t parent, bool parent_removed = false) {
  return {kId, kAda, parent, parent_removed, kBob, "Nice"};
}

TEST(Comments, AreNumberedFromOneWithinTheirProject) {
  given<Comments>().when(add_comment(0)).then(comment(1, 0));
  given<Comments>(comment(1, 0)).when(add_comment(1)).then(comment(2, 1));
}

TEST(Comments, AnswerNothingThatIsRemoved) {
  given<Comments>(comment(1, 0)).when(add_comment(1, true)).then_rejected("comment-removed");
}

TEST(Removal, IsByTheWriterOrTheProjectsAuthorAndOnce) {
  const core::AccountId cleo({3});
  const auto remove = [](const core::AccountId& by) {
    return RemoveComment{comment(2, 1), kNow, by};
  };
  const auto removed = [](const core::AccountId& by) {
    return CommentRemoved{kId, kAda, 2, 1, kBob, kNow, by};
  };
  given<Removal>().when(remove(kBob)).then(removed(kBob));
  given<Removal>().when(remove(kAda)).then(removed(kAda));
  given<Removal>().when(remove(cleo)).then_rejected("not-the-author");
  given<Removal>(removed(kBob)).when(remove(kAda)).then_nothing();
  given<Removal>(removed(kBob)).when(remove(cleo)).then_rejected("not-the-author");
}

TEST(Comments, AnswerOnlyWhatExists) {
  given<Comments>(comment(1, 0)).when(add_comment(2)).then_rejected("no-such-comment");
  given<Comments>().when(add_comment(-1)).then_rejected("no-such-comment");
}

const AdviceIdentity kAdvice{kId, kAda, std::string(24, '0') + "10", kBob};

TEST(Advice, IsGivenToOthersAndNotToOneself) {
  given<Advice>().when(GiveAdvice{kAdvice, "Swim less"}).then(AdviceGiven{kAdvice, "Swim less"});
  given<Advice>()
      .when(GiveAdvice{{kId, kAda, kAdvice.advice_id, kAda}, "Adopt me"})
      .then_rejected("advice-on-ones-own");
}

TEST(Advice, IsAdoptedOnceByTheProjectsAuthorAlone) {
  const AdviceGiven advice{kAdvice, "Swim less"};
  given<Advice>(advice).when(AdoptAdvice{kAda}).then(AdviceAdopted{kAdvice});
  given<Advice>(advice, AdviceAdopted{kAdvice}).when(AdoptAdvice{kAda}).then_nothing();
  given<Advice>(advice).when(AdoptAdvice{kBob}).then_rejected("not-the-author");
  given<Advice>().when(AdoptAdvice{kAda}).then_rejected("no-such-advice");
}

TEST(Advice, IsWithdrawnByWhoGaveItUntilItIsAdopted) {
  const AdviceGiven advice{kAdvice, "Swim less"};
  given<Advice>(advice).when(WithdrawAdvice{kBob}).then(AdviceWithdrawn{kAdvice});
  given<Advice>(advice, AdviceWithdrawn{kAdvice}).when(WithdrawAdvice{kBob}).then_nothing();
  given<Advice>(advice).when(WithdrawAdvice{kAda}).then_rejected("not-the-adviser");
  given<Advice>(advice, AdviceAdopted{kAdvice})
      .when(WithdrawAdvice{kBob})
      .then_rejected("advice-adopted");
  given<Advice>(advice, AdviceWithdrawn{kAdvice})
      .when(AdoptAdvice{kAda})
      .then_rejected("no-such-advice");
  given<Advice>().when(WithdrawAdvice{kBob}).then_rejected("no-such-advice");
}

const StoredFile kFile{"application/pdf", 1234, std::string(64, 'b')};

std::string document_id(std::size_t number) {
  return std::string(24, '0') + std::to_string(10 + number);
}
AddDocument add_document(std::size_t number, const core::AccountId& by) {
  return {kId, kAda, by, document_id(number), "Plan", kFile};
}
DocumentAdded document(std::size_t number) {
  return {kId, kAda, document_id(number), "Plan", kFile};
}

TEST(Documents, AreAddedAndRemovedByTheProjectsAuthorAlone) {
  given<Documents>().when(add_document(1, kAda)).then(document(1));
  given<Documents>().when(add_document(1, kBob)).then_rejected("not-the-author");
  const DocumentRemoved removed{kId, kAda, document_id(1)};
  given<Documents>(document(1)).when(RemoveDocument{kId, kAda, kAda, document_id(1)}).then(removed);
  given<Documents>(document(1))
      .when(RemoveDocument{kId, kAda, kBob, document_id(1)})
      .then_rejected("not-the-author");
  given<Documents>(document(1), removed)
      .when(RemoveDocument{kId, kAda, kAda, document_id(1)})
      .then_nothing();
  given<Documents>(document(1))
      .when(RemoveDocument{kId, kAda, kAda, document_id(2)})
      .then_rejected("no-such-document");
}

TEST(Documents, StandUpToTwentyAtATime) {
  Documents::State state;
  for (std::size_t i = 1; i <= Documents::kStandingMax; ++i) {
    EXPECT_FALSE(Documents::decide(state, add_document(i, kAda)).rejected()) << i;
    state = Documents::evolve(std::move(state), document(i));
  }
  EXPECT_EQ(Documents::decide(state, add_document(30, kAda)).rejection().code,
            "too-many-documents");
  state = Documents::evolve(std::move(state), DocumentRemoved{kId, kAda, document_id(7)});
  EXPECT_FALSE(Documents::decide(state, add_document(30, kAda)).rejected());
}

TEST(Voting, IsOpenedAndClosedOnceByTheAuthor) {
  given<Voting>().when(OpenVoting{kId, kAda, kAda}).then(VotingOpened{kId, kAda});
  given<Voting>(VotingOpened{kId, kAda}).when(OpenVoting{kId, kAda, kAda}).then_nothing();
  given<Voting>(VotingOpened{kId, kAda})
      .when(CloseVoting{kId, kAda, kAda})
      .then(VotingClosed{kId, kAda});
  given<Voting>(VotingOpened{kId, kAda}, VotingClosed{kId, kAda})
      .when(CloseVoting{kId, kAda, kAda})
      .then_nothing();
  given<Voting>(VotingOpened{kId, kAda}, VotingClosed{kId, kAda})
      .when(OpenVoting{kId, kAda, kAda})
      .then_rejected("voting-closed");
}

TEST(Voting, NobodyElseOpensOrClosesIt) {
  given<Voting>().when(OpenVoting{kId, kAda, kBob}).then_rejected("not-the-author");
  given<Voting>(VotingOpened{kId, kAda})
      .when(CloseVoting{kId, kAda, kBob})
      .then_rejected("not-the-author");
  given<Voting>().when(CloseVoting{kId, kAda, kAda}).then_rejected("voting-not-open");
}

constexpr auto kOpen = Voting::State::Open;
constexpr auto kClosed = Voting::State::Closed;

TEST(Vote, TheFirstOneIsMarkedAndTheNextOnesAreNot) {
  given<Vote>().when(CastVote{kId, kAda, kBob, kOpen}).then(VoteCast{kId, kAda, kBob, true});
  given<Vote>(VoteCast{kId, kAda, kBob, true}, VoteWithdrawn{kId, kAda, kBob})
      .when(CastVote{kId, kAda, kBob, kOpen})
      .then(VoteCast{kId, kAda, kBob, false});
}

TEST(Vote, CastTwiceCountsOnce) {
  given<Vote>(VoteCast{kId, kAda, kBob, true})
      .when(CastVote{kId, kAda, kBob, kOpen})
      .then_nothing();
}

TEST(Vote, IsWithdrawnOnlyWhereItStands) {
  given<Vote>(VoteCast{kId, kAda, kBob, true})
      .when(WithdrawVote{kId, kAda, kBob, kOpen})
      .then(VoteWithdrawn{kId, kAda, kBob});
  given<Vote>().when(WithdrawVote{kId, kAda, kBob, kOpen}).then_nothing();
}

TEST(Vote, NothingChangesOutsideTheOpenBallot) {
  given<Vote>()
      .when(CastVote{kId, kAda, kBob, Voting::State::NotOpened})
      .then_rejected("voting-not-open");
  given<Vote>(VoteCast{kId, kAda, kBob, true})
      .when(WithdrawVote{kId, kAda, kBob, kClosed})
      .then_rejected("voting-not-open");
}

EditProject edit_of(std::string introduction) {
  EditProject edit;
  edit.editor = kAda;
  edit.texts = {{&Card::introduction, std::move(introduction)}};
  return edit;
}

TEST(Project, CompactionKeepsDecisions) {
  const std::string hash(64, 'a');
  expect_compaction_keeps_decisions<Project>(
      {edit_of("one"), edit_of("two"), ChangeIcon{kAda, hash}, ChangeIcon{kAda, std::nullopt},
       ChangeIcon{kBob, hash}, WithdrawProject{kAda}, RestoreProject{kAda}, WithdrawProject{kBob},
       AbandonProject{}},
      {created()});
}

TEST(Vote, CompactionKeepsDecisions) {
  using enum Voting::State;
  expect_compaction_keeps_decisions<Vote>({CastVote{kId, kAda, kBob, Open},
                                           WithdrawVote{kId, kAda, kBob, Open},
                                           CastVote{kId, kAda, kBob, Closed}});
}

TEST(Documents, AProjectHasHadSoManyAtMost) {
  Documents::State state;
  const auto draft = [&](std::size_t i) {
    return AddDocument{kId, kAda, kAda, std::to_string(i), "Plan", {}};
  };
  for (std::size_t i = 0; i < Documents::kEverMax; ++i) {
    for (const auto& event : Documents::decide(state, draft(i)).events()) {
      state = Documents::evolve(std::move(state), event);
    }
    const RemoveDocument removal{kId, kAda, kAda, std::to_string(i)};
    for (const auto& event : Documents::decide(state, removal).events()) {
      state = Documents::evolve(std::move(state), event);
    }
  }
  EXPECT_EQ(Documents::decide(state, draft(Documents::kEverMax)).rejection().code,
            "too-many-documents");
}

}  // namespace
}  // namespace tideline::projects
