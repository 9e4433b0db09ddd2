
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/clock.hpp"
#include "crypto/subject_cipher.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "scoring/domain/adjustment.hpp"
#include "scoring/stored_events.hpp"
#include "scoring/tests/histories.hpp"

namespace tideline::scoring {
namespace {

using eventsourcing::testing::given;

const core::AccountId kPerson = account_with(1);
const core::AccountId kOperator = account_with(2);

TEST(AdjustmentTest, IsMade) {
  given<Adjustment>()
      .when(AdjustPoints{kPerson, -7, "twice counted", kOperator})
      .then(PointsAdjusted{kPerson, -7, "twice counted", kOperator});
}

TEST(AdjustmentTest, IsMadeOnce) {
  given<Adjustment>(PointsAdjusted{kPerson, 5, "prize", kOperator})
      .when(AdjustPoints{kPerson, 5, "prize", kOperator})
      .then_nothing();
}

TEST(AdjustmentTest, IsNotMadeIntoAnother) {
  given<Adjustment>(PointsAdjusted{kPerson, 5, "prize", kOperator})
      .when(AdjustPoints{kPerson, 6, "prize", kOperator})
      .then_rejected("another-adjustment");
}

TEST(AdjustmentTest, ChangesSomethingForAReason) {
  given<Adjustment>()
      .when(AdjustPoints{kPerson, 0, "nothing", kOperator})
      .then_rejected("adjustment-of-nothing");
  given<Adjustment>()
      .when(AdjustPoints{kPerson, 1, "", kOperator})
      .then_rejected("adjustment-without-reason");
}

TEST(AdjustmentTest, StaysWithinItsBound) {
  const std::int64_t most = Adjustment::kDeltaMax;
  given<Adjustment>()
      .when(AdjustPoints{kPerson, -most, "all", kOperator})
      .then(PointsAdjusted{kPerson, -most, "all", kOperator});
  given<Adjustment>()
      .when(AdjustPoints{kPerson, -most - 1, "all", kOperator})
      .then_rejected("adjustment-too-large");
  given<Adjustment>()
      .when(AdjustPoints{kPerson, most + 1, "all", kOperator})
      .then_rejected("adjustment-too-large");
}

eventsourcing::RecordedEvent recorded(const eventsourcing::NewEvent& event) {
  eventsourcing::RecordedEvent made;
  made.source = "scoring";
  made.type = event.type;
  made.schema_version = event.schema_version;
  made.data = event.data;
  return made;
}

class AdjustmentCodecTest : public ::testing::Test {
 protected:
  core::ManualClock clock{core::Timestamp()};
  crypto::InMemorySubjectKeys keys;
  crypto::SubjectCipher cipher{keys, clock};
  eventsourcing::EventCodec<Adjustment> codec{cipher};
};

TEST_F(AdjustmentCodecTest, ReadsWhatItWrote) {
  const PointsAdjusted adjusted{kPerson, -12, "\"Prize\" für Ωmega\n", kOperator};
  const auto encoded = codec.encode(adjusted);
  EXPECT_EQ(encoded.type, "PointsAdjusted");
  EXPECT_EQ(encoded.visibility, eventsourcing::Visibility::Public);
  EXPECT_EQ(encoded.data.find("Prize"), std::string::npos) << "an operator's words are sealed";
  const auto decoded = codec.decode(recorded(encoded));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(*decoded, Adjustment::Event(adjusted));
}

TEST_F(AdjustmentCodecTest, ReadsTheFirstVersionWhoseReasonIsInClear) {
  auto event = recorded(codec.encode(PointsAdjusted{kPerson, 1, "x", kOperator}));
  event.schema_version = core::SchemaVersion(1);
  event.data = nlohmann::json{{"account_id", kPerson.to_string()},
                              {"delta", 4},
                              {"reason", "1. Prize"},
                              {"operator", kOperator.to_string()}}
                   .dump();
  const auto decoded = codec.decode(event);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(*decoded, Adjustment::Event(PointsAdjusted{kPerson, 4, "1. Prize", kOperator}));
}

TEST_F(AdjustmentCodecTest, KnowsItsOwnEventsAlone) {
  auto event = recorded(codec.encode(PointsAdjusted{kPerson, 1, "x", kOperator}));
  event.type = "PointsForgotten";
  EXPECT_FALSE(codec.decode(event).has_value());
  event.type = "PointsAdjusted";
  event.data = R"({"account_id": 7})";
  EXPECT_THROW(static_cast<void>(codec.decode(event)), eventsourcing::CodecFailed);
}

}  // namespace
}  // namespace tideline::scoring
