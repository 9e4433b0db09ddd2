// Reports and cases as decisions.
#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "feed/domain/comment.hpp"
#include "feed/domain/moderation_case.hpp"
#include "feed/domain/moment.hpp"
#include "feed/stored_events.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::testing::given;

const core::AccountId kWriter(core::AccountId::Bytes{1});
const core::AccountId kReporter(core::AccountId::Bytes{2});
const core::AccountId kModerator(core::AccountId::Bytes{3});
const Subject kSubject{core::MomentId(4'711), core::CommentId(4'712)};
const core::Timestamp kReportedAt{std::chrono::seconds(1'800'000'000)};

ReportSubject reporting(std::string text) {
  return {kSubject, kWriter, kReporter, 2, ReportCategory::Hate, std::move(text), kReportedAt};
}

TEST(Report, IsMadeOnce) {
  const SubjectReported reported{kSubject.moment,      kSubject.comment, kReporter,  2,
                                 ReportCategory::Hate, "every day",      kReportedAt};
  given<Report>().when(reporting("every day")).then(reported);
  given<Report>(reported).when(reporting("again")).then_nothing();
}

TEST(Report, HasABoundedTextAndIsAboutAnothers) {
  const std::string longest(Report::kTextCodePointsMax, 'x');
  given<Report>().when(reporting(longest + "x")).then_rejected("text-length");
  ReportSubject own = reporting("");
  own.author = own.reporter;
  given<Report>().when(own).then_rejected("own-subject");
}

CaseOpened opened(std::uint32_t opening) {
  return {kSubject.moment, kSubject.comment, kWriter, opening, kReportedAt};
}
CaseDecided decided(std::uint32_t opening, CaseDecision decision = CaseDecision::Dismissed) {
  return {kSubject.moment, kSubject.comment, kWriter,    opening,
          kModerator,      decision,         "a reason", kReportedAt};
}
DecideCase deciding(CaseDecision decision = CaseDecision::Dismissed) {
  return {kModerator, false, decision, "a reason", kReportedAt};
}
const OpenCase kOpening{kSubject, kWriter, kReportedAt};

TEST(ModerationCase, IsOpenFromAReportUntilADecisionAndAgainFromTheNext) {
  given<ModerationCase>().when(kOpening).then(opened(1));
  given<ModerationCase>(opened(1)).when(kOpening).then_nothing();
  given<ModerationCase>(opened(1))
      .when(deciding(CaseDecision::Removed))
      .then(decided(1, CaseDecision::Removed));
  given<ModerationCase>(opened(1), decided(1)).when(deciding()).then_rejected("case-decided");
  given<ModerationCase>(opened(1), decided(1)).when(kOpening).then(opened(2));
  given<ModerationCase>(opened(1), decided(1), opened(2)).when(deciding()).then(decided(2));
  given<ModerationCase>().when(deciding()).then_rejected("no-such-case");
}

TEST(ModerationCase, IsNotDecidedByWhoIsPartyToIt) {
  DecideCase by_author = deciding();
  by_author.moderator = kWriter;
  given<ModerationCase>(opened(1)).when(by_author).then_rejected("no-such-case");
  DecideCase by_reporter = deciding();
  by_reporter.has_reported = true;
  given<ModerationCase>(opened(1)).when(by_reporter).then_rejected("party-to-the-case");
}

CaseRuled ruled(std::uint32_t opening, CaseRuling ruling = CaseRuling::Hidden) {
  return {kSubject.moment, kSubject.comment, kWriter,    opening,
          kModerator,      ruling,           "a reason", kReportedAt};
}
RuleCase ruling(CaseRuling ruling = CaseRuling::Hidden) {
  return {kModerator, false, ruling, "a reason", kReportedAt};
}

TEST(ModerationCase, HidesWhatIsReportedAndRestoresWhatIsHidden) {
  const auto restoring = ruling(CaseRuling::Restored);
  const auto restored = ruled(2, CaseRuling::Restored);
  given<ModerationCase>(opened(1)).when(ruling()).then(ruled(1));
  given<ModerationCase>(opened(1)).when(restoring).then_rejected("not-hidden");
  given<ModerationCase>(opened(1), ruled(1)).when(ruling()).then_rejected("case-decided");
  given<ModerationCase>(opened(1), ruled(1)).when(deciding()).then_rejected("case-decided");
  given<ModerationCase>(opened(1), ruled(1)).when(restoring).then(restored);
  given<ModerationCase>(opened(1), ruled(1), restored).when(restoring).then_rejected("not-hidden");
  given<ModerationCase>(opened(1), ruled(1), restored).when(kOpening).then(opened(3));
  given<ModerationCase>().when(ruling()).then_rejected("no-such-case");
}

TEST(ModerationCase, IsNotOpenedByWhoDoesNotSeeIt) {
  given<ModerationCase>(opened(1), ruled(1)).when(kOpening).then_rejected("no-such-comment");
}

TEST(ModerationCase, NeedsAReason) {
  DecideCase without = deciding();
  without.reason.clear();
  given<ModerationCase>(opened(1)).when(without).then_rejected("reason-length");
  without.reason.assign(ModerationCase::kReasonCodePointsMax + 1, 'x');
  given<ModerationCase>(opened(1)).when(without).then_rejected("reason-length");
}

TEST(ModerationCase, IsDecidedByItsLastEvents) {
  eventsourcing::testing::expect_compaction_keeps_decisions<ModerationCase>(
      {kOpening, deciding(), deciding(CaseDecision::Removed), ruling(),
       ruling(CaseRuling::Restored)});
}

TEST(Hiding, IsOfWhateverStandsAndCanBeTakenBack) {
  MomentPublished published;
  published.id = kSubject.moment;
  published.author = kWriter;
  const MomentHidden hidden{kSubject.moment, kWriter, kReportedAt};
  const MomentRestored restored{kSubject.moment, kWriter, kReportedAt};
  const HideMoment hide{kReportedAt};
  const RestoreMoment restore{kReportedAt};
  const MomentDeleted gone{kSubject.moment, kWriter};
  given<Moment>(published).when(hide).then(hidden);
  given<Moment>(published, hidden).when(hide).then_nothing();
  given<Moment>(published, hidden).when(restore).then(restored);
  given<Moment>(published, hidden, restored).when(restore).then_nothing();
  given<Moment>(published, hidden, gone).when(restore).then_nothing();
  given<Moment>(published, gone).when(hide).then_rejected("no-such-moment");
  std::vector<Moment::Event> often{published};
  for (std::uint32_t i = 0; i < Moment::kHidingsMax; ++i) {
    often.insert(often.end(), {Moment::Event(hidden), Moment::Event(restored)});
  }
  Moment::State state;
  for (const auto& event : often) state = Moment::evolve(state, event);
  EXPECT_EQ(Moment::decide(state, hide).rejection().code, "hidden-too-often");
}

TEST(Hiding, IsOfCommentsToo) {
  CommentAdded added;
  added.moment = kSubject.moment;
  added.id = *kSubject.comment;
  added.author = kWriter;
  const CommentHidden hidden{kSubject.moment, *kSubject.comment, kWriter, kReportedAt};
  const CommentRestored restored{kSubject.moment, *kSubject.comment, kWriter, kReportedAt};
  const HideComment hide{kReportedAt};
  const RestoreComment restore{kReportedAt};
  given<Comment>(added).when(hide).then(hidden);
  given<Comment>(added, hidden).when(hide).then_nothing();
  given<Comment>(added, hidden).when(restore).then(restored);
  given<Comment>(added).when(restore).then_nothing();
  given<Comment>().when(hide).then_rejected("no-such-comment");
}

TEST(Removal, IsOfWhateverStands) {
  MomentPublished published;
  published.id = kSubject.moment;
  published.author = kWriter;
  const MomentDeleted moment_gone{kSubject.moment, kWriter};
  given<Moment>(published).when(RemoveMoment{}).then(moment_gone);
  given<Moment>(published, moment_gone).when(RemoveMoment{}).then_nothing();
  given<Moment>().when(RemoveMoment{}).then_rejected("no-such-moment");
  CommentAdded added;
  added.moment = kSubject.moment;
  added.id = *kSubject.comment;
  added.author = kWriter;
  const CommentDeleted gone{kSubject.moment, *kSubject.comment, kWriter, kModerator};
  given<Comment>(added).when(RemoveComment{kModerator}).then(gone);
  given<Comment>(added, gone).when(RemoveComment{kModerator}).then_nothing();
  given<Comment>().when(RemoveComment{kModerator}).then_rejected("no-such-comment");
}

}  // namespace
}  // namespace tideline::feed
