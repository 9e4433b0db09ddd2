
#include <gtest/gtest.h>

#include "eventsourcing/events/event_codec.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "scoring/domain/rating.hpp"
#include "scoring/projections/events_by_hand.hpp"
#include "scoring/tests/histories.hpp"

namespace tideline::scoring {
namespace {

using eventsourcing::testing::given;

const core::AccountId kRater = account_with(1);
const core::AccountId kOwner = account_with(2);
const RatingSubject kPerson{RatingKind::Person, kOwner.to_string()};
const RatingSubject kProject{RatingKind::Project, "00000000000000000000000000"};

TEST(RatingTest, IsGivenAndReplaced) {
  given<Rating>().when(RateSubject{kRater, kPerson, kOwner, 4}).then(Rated{kRater, kPerson, 4, 0});
  given<Rating>(Rated{kRater, kPerson, 4, 0}, Rated{kRater, kPerson, 1, 4})
      .when(RateSubject{kRater, kPerson, kOwner, 5})
      .then(Rated{kRater, kPerson, 5, 1});
}

TEST(RatingTest, TheSameAgainIsNothing) {
  given<Rating>(Rated{kRater, kProject, 4, 0})
      .when(RateSubject{kRater, kProject, kOwner, 4})
      .then_nothing();
}

TEST(RatingTest, HasOneToFiveStars) {
  for (const std::int64_t stars : {-1, 0, 6}) {
    given<Rating>()
        .when(RateSubject{kRater, kPerson, kOwner, stars})
        .then_rejected("rating-out-of-range");
  }
}

TEST(RatingTest, IsNotOfOnesOwn) {
  given<Rating>().when(RateSubject{kOwner, kPerson, kOwner, 5}).then_rejected("rating-of-ones-own");
  given<Rating>()
      .when(RateSubject{kOwner, kProject, kOwner, 5})
      .then_rejected("rating-of-ones-own");
}

TEST(RatingTotalTest, FewRatingsDoNotOutweighMany) {
  const RatingTotal one{1, 5};
  const RatingTotal many{200, 900};
  EXPECT_EQ(one.mean(), 5.0);
  EXPECT_EQ(many.mean(), 4.5);
  EXPECT_LT(one.bayesian_mean(), many.bayesian_mean());
  EXPECT_EQ(RatingTotal{}.bayesian_mean(), 3.0);
}

eventsourcing::RecordedEvent recorded(const eventsourcing::NewEvent& event) {
  eventsourcing::RecordedEvent made;
  made.source = "scoring";
  made.type = event.type;
  made.data = event.data;
  return made;
}

TEST(RatingCodecTest, ReadsWhatItWrote) {
  for (const RatingSubject& subject : {kPerson, kProject}) {
    const Rated rated{kRater, subject, 2, 5};
    const auto decoded = eventsourcing::EventCodec<Rating>{}.decode(
        recorded(eventsourcing::EventCodec<Rating>{}.encode(rated)));
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(*decoded, Rating::Event(rated));
  }
}

TEST(RatingCodecTest, RefusesWhatIsNoRating) {
  const auto good = nlohmann::json::parse(
      eventsourcing::EventCodec<Rating>{}.encode(Rated{kRater, kPerson, 2, 0}).data);
  const auto with = [&](const char* field, const nlohmann::json& value) {
    auto data = good;
    data[field] = value;
    auto event = recorded({.type = "Rated", .data = data.dump()});
    EXPECT_THROW(static_cast<void>(eventsourcing::EventCodec<Rating>{}.decode(event)),
                 eventsourcing::CodecFailed)
        << data.dump();
  };
  with("stars", 0);
  with("stars", 6);
  with("before", -1);
  with("before", 6);
  with("kind", "moment");
  with("kind", "project");
  with("subject", "someone");
  with("rater", "someone");
}

}  // namespace
}  // namespace tideline::scoring
