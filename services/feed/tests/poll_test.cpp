// Polls: what is opened with a moment, and votes.
#include "feed/domain/poll.hpp"

#include "eventsourcing/testing/given_when_then.hpp"
#include "feed/domain/moment.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::testing::given;
using Options = std::vector<std::string>;

const core::AccountId kPollster(core::AccountId::Bytes{1});
const core::AccountId kVoter(core::AccountId::Bytes{2});
const core::MomentId kAsked{4'711};
const core::Timestamp kOpened{std::chrono::seconds(1'800'000'000)};
const core::Timestamp kCloses = kOpened + std::chrono::hours(1);

PublishMoment asking(Options options, core::Timestamp closes_at = kCloses) {
  return {kAsked,           kPollster,
          Audience::Public, {},
          "when?",          {},
          kOpened,          {},
          std::nullopt,     NewPoll{std::move(options), false, closes_at}};
}
PollOpened opened(bool is_multiple = false) {
  return {kAsked, kPollster, "at eight\nat nine\nnever", 3, is_multiple, kCloses};
}
CastPollVote voting(std::uint32_t choices, bool is_multiple = false,
                    core::Timestamp now = kOpened) {
  return {kAsked, kVoter, opened(is_multiple), choices, now};
}

TEST(Poll, IsOpenedWithItsMoment) {
  const auto decision = Moment::decide({}, asking({"at eight", "at nine", "never"}));
  ASSERT_EQ(decision.events().size(), 2U);
  EXPECT_TRUE(std::get<MomentPublished>(decision.events()[0]).has_poll);
  EXPECT_EQ(std::get<PollOpened>(decision.events()[1]), opened());
  EXPECT_EQ(Moment::evolve({}, decision.events()[1]).poll, opened());
}

TEST(Poll, HasTwoToSixDifferentOptionsOfOneLine) {
  std::string longest;
  for (std::size_t i = 0; i < Poll::kOptionCodePointsMax; ++i) longest += "\u6d6a";
  for (const Options& options : {Options{"a", longest}, Options{"1", "2", "3", "4", "5", "6"}}) {
    EXPECT_FALSE(Moment::decide({}, asking(options)).rejected());
  }
  for (const Options& options :
       {Options{}, Options{"a"}, Options{"a", "a"}, Options{"a", ""}, Options{"a", longest + "!"},
        Options{"a", "b\nc"}, Options{"1", "2", "3", "4", "5", "6", "7"}}) {
    given<Moment>().when(asking(options)).then_rejected("poll-options");
  }
}

TEST(Poll, ClosesWithinThirtyDays) {
  const auto until = [](auto time) { return asking({"a", "b"}, kOpened + time); };
  EXPECT_FALSE(Moment::decide({}, until(Poll::kOpenMax)).rejected());
  given<Moment>().when(until(std::chrono::microseconds(0))).then_rejected("poll-closes-at");
  given<Moment>()
      .when(until(Poll::kOpenMax + std::chrono::microseconds(1)))
      .then_rejected("poll-closes-at");
}

TEST(PollVote, IsCastOnceAndForGood) {
  const PollVoted voted{kAsked, kVoter, 2, kOpened};
  given<PollVote>().when(voting(2)).then(voted);
  given<PollVote>(voted).when(voting(2)).then_nothing();
  given<PollVote>(voted).when(voting(4)).then_rejected("already-voted");
}

TEST(PollVote, IsForOptionsOfThePoll) {
  given<PollVote>().when(voting(0)).then_rejected("poll-choices");
  given<PollVote>().when(voting(8)).then_rejected("poll-choices");
  given<PollVote>().when(voting(3)).then_rejected("poll-choices");
  given<PollVote>().when(voting(7, true)).then(PollVoted{kAsked, kVoter, 7, kOpened});
}

TEST(PollVote, IsCastBeforeThePollCloses) {
  const auto last = kCloses - std::chrono::microseconds(1);
  given<PollVote>().when(voting(1, false, last)).then(PollVoted{kAsked, kVoter, 1, last});
  given<PollVote>().when(voting(1, false, kCloses)).then_rejected("poll-closed");
}

TEST(PollOptions, AreReadAsTheyWereJoined) {
  for (const Options& options : {Options{"a", "b"}, Options{"at eight", "at nine", "never"}}) {
    EXPECT_EQ(split_options(joined_options(options)), options);
  }
}

}  // namespace
}  // namespace tideline::feed
