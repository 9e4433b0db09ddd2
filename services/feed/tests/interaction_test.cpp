// Likes, comments and edits as decisions.
#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "feed/domain/comment.hpp"
#include "feed/domain/like.hpp"
#include "feed/domain/moment.hpp"
#include "feed/stored_events.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::testing::expect_compaction_keeps_decisions;
using eventsourcing::testing::given;

const core::AccountId kAda(core::AccountId::Bytes{1});
const core::AccountId kBob(core::AccountId::Bytes{2});
const core::AccountId kCleo(core::AccountId::Bytes{3});
const core::MomentId kMoment{4'711};
const core::CommentId kId{4'712};
const core::Timestamp kNow{std::chrono::seconds(1'800'000'000)};

TEST(Like, IsGivenAndTakenBackAgainAndAgain) {
  const MomentLiked liked{kMoment, kBob, kNow, kAda};
  const MomentUnliked unliked{kMoment, kBob};
  given<Like>().when(LikeMoment{kMoment, kAda, kBob, kNow}).then(liked);
  given<Like>(liked).when(LikeMoment{kMoment, kAda, kBob, kNow}).then_nothing();
  given<Like>(liked).when(UnlikeMoment{kMoment, kBob}).then(unliked);
  given<Like>(liked, unliked).when(UnlikeMoment{kMoment, kBob}).then_nothing();
  given<Like>(liked, unliked).when(LikeMoment{kMoment, kAda, kBob, kNow}).then(liked);
  given<Like>().when(UnlikeMoment{kMoment, kBob}).then_nothing();
}

AddComment saying(std::string text) {
  return {kMoment, kAda, kId, core::CommentId(7), kCleo, kBob, std::move(text), kNow};
}
CommentAdded added() {
  return {kMoment, kAda, kId, core::CommentId(7), kBob, "hello", kNow, kCleo};
}

TEST(Comment, IsWrittenOnceUnderItsId) {
  given<Comment>().when(saying("hello")).then(added());
  given<Comment>(added()).when(saying("hello")).then_rejected("comment-id-taken");
}

TEST(Comment, CountsItsTextInCodePoints) {
  std::string longest;
  for (std::size_t i = 0; i < Comment::kTextCodePointsMax; ++i) longest += "\u6d6a";
  EXPECT_FALSE(Comment::decide({}, saying(longest)).rejected());
  given<Comment>().when(saying(longest + "!")).then_rejected("text-length");
  given<Comment>().when(saying("")).then_rejected("text-length");
  given<Comment>().when(saying("\xff")).then_rejected("text-length");
}

TEST(Comment, IsDeletedOnceByItsAuthorOrTheMoments) {
  for (const auto& by : {kAda, kBob}) {
    const CommentDeleted deleted{kMoment, kId, kBob, by};
    given<Comment>(added()).when(DeleteComment{by}).then(deleted);
    given<Comment>(added(), deleted).when(DeleteComment{by}).then_nothing();
  }
  given<Comment>(added()).when(DeleteComment{kCleo}).then_rejected("not-the-author");
  given<Comment>().when(DeleteComment{kBob}).then_rejected("no-such-comment");
}

MomentPublished published() { return {kMoment, kAda, Audience::Public, {}, "hello", {}, kNow}; }
MomentEdited edited(std::uint32_t edit, std::string content) {
  return {kMoment, kAda, edit, std::move(content), kNow};
}
EditMoment editing(std::string content, core::Timestamp now = kNow) {
  return {kAda, std::move(content), now};
}

TEST(MomentEdits, AreNumberedAndAreNothingWhenNothingChanges) {
  given<Moment>(published()).when(editing("hallo")).then(edited(1, "hallo"));
  given<Moment>(published(), edited(1, "hallo")).when(editing("hallo")).then_nothing();
  given<Moment>(published(), edited(1, "hallo")).when(editing("hello")).then(edited(2, "hello"));
}

TEST(MomentEdits, AreForItsAuthorAlone) {
  EditMoment foreign = editing("hallo");
  foreign.by = kBob;
  given<Moment>(published()).when(foreign).then_rejected("not-the-author");
  given<Moment>().when(editing("hallo")).then_rejected("no-such-moment");
  given<Moment>(published(), MomentDeleted{kMoment, kAda})
      .when(editing("hallo"))
      .then_rejected("no-such-moment");
}

TEST(MomentEdits, EndAnHourAfterItsPublication) {
  MomentEdited last = edited(1, "hallo");
  last.edited_at = kNow + std::chrono::hours(1);
  given<Moment>(published()).when(editing("hallo", last.edited_at)).then(last);
  const auto late = last.edited_at + std::chrono::microseconds(1);
  given<Moment>(published()).when(editing("hallo", late)).then_rejected("too-late-to-edit");
  given<Moment>(published()).when(editing("hello", late)).then_nothing();
}

TEST(MomentEdits, AreAsManyAsAPageOfHistoryHolds) {
  Moment::State state = Moment::evolve({}, published());
  for (std::uint32_t i = 1; i <= Moment::kEditsMax; ++i) {
    const auto decision = Moment::decide(state, editing(std::to_string(i)));
    ASSERT_FALSE(decision.rejected()) << i;
    state = Moment::evolve(state, decision.events().at(0));
  }
  const auto decision = Moment::decide(state, editing("once more"));
  ASSERT_TRUE(decision.rejected());
  EXPECT_EQ(decision.rejection().code, "too-many-edits");
}

TEST(MomentEdits, HaveTheLengthOfAMoment) {
  given<Moment>(published()).when(editing("")).then_rejected("content-length");
  given<Moment>(published())
      .when(editing(std::string(Moment::kContentCodePointsMax + 1, 'x')))
      .then_rejected("content-length");
}

TEST(Like, CompactionKeepsDecisions) {
  expect_compaction_keeps_decisions<Like>(
      {LikeMoment{kMoment, kAda, kBob, kNow}, UnlikeMoment{kMoment, kBob}});
}

}  // namespace
}  // namespace tideline::feed
