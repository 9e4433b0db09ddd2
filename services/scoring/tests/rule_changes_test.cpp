
#include <gtest/gtest.h>

#include "eventsourcing/events/event_codec.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "scoring/domain/rule_changes.hpp"
#include "scoring/projections/events_by_hand.hpp"
#include "scoring/tests/histories.hpp"

namespace tideline::scoring {
namespace {

using eventsourcing::testing::given;

const core::AccountId kOperator = account_with(2);
const core::Day kToday = core::parse_day("2026-03-10").value();
constexpr std::chrono::days kOneDay{1};
const std::vector<Rule> kRules = {{Reason::SignIn, 4, 0}, {Reason::Comment, 2, 2, 10}};
const std::vector<std::int64_t> kLevelPoints = {0, 10, 100};

ChangeRules change(core::Day today = kToday, std::vector<Rule> rules = kRules) {
  return {today, std::move(rules), kLevelPoints, kOperator};
}
RulesChanged changed(int version, core::Day from, std::vector<Rule> rules = kRules) {
  return {RuleSet{version, from, std::move(rules), Levels(kLevelPoints)}, kOperator};
}

TEST(RuleChangesTest, AVersionBeginsWithTheNextDay) {
  given<RuleChanges>().when(change()).then(changed(2, kToday + kOneDay));
}

TEST(RuleChangesTest, TheSameRulesAreNoChange) {
  given<RuleChanges>(changed(2, kToday + kOneDay))
      .when(change(kToday + 9 * kOneDay))
      .then_nothing();
}

TEST(RuleChangesTest, AnotherOneOfTheDayTakesItsPlace) {
  const std::vector<Rule> other = {{Reason::SignIn, 5, 0}};
  const auto book = given<RuleChanges>(changed(2, kToday + kOneDay));
  book.when(change(kToday, other)).then(changed(3, kToday + kOneDay, other));
  RuleBook both = RuleBook::standard();
  both.add(changed(2, kToday + kOneDay).set);
  both.add(changed(3, kToday + kOneDay, other).set);
  EXPECT_EQ(both.on(kToday).version, 1);
  EXPECT_EQ(both.on(kToday + kOneDay).version, 3);
  ASSERT_EQ(both.coming_after(kToday).size(), 1U);
  EXPECT_EQ(both.coming_after(kToday).front().version, 3);
  EXPECT_TRUE(both.coming_after(kToday + kOneDay).empty());
}

TEST(RuleChangesTest, AVersionFarAheadIsTakenBackByANearerOne) {
  RuleBook book = RuleBook::standard();
  book.add(changed(2, kToday + 400 * kOneDay).set);
  EXPECT_EQ(book.coming_after(kToday).size(), 1U);
  book.add(changed(3, kToday + kOneDay).set);
  EXPECT_EQ(book.on(kToday + 500 * kOneDay).version, 3);
  ASSERT_EQ(book.coming_after(kToday).size(), 1U);
  EXPECT_EQ(book.coming_after(kToday).front().version, 3);
}

TEST(RuleChangesTest, ADayIsSettledOnce) {
  given<RuleChanges>()
      .when(SettleDays{{{kToday, 1}, {kToday + kOneDay, 1}}})
      .then(RuleDaysSettled{{{kToday, 1}, {kToday + kOneDay, 1}}});
  given<RuleChanges>(RuleDaysSettled{{{kToday, 1}}})
      .when(SettleDays{{{kToday, 1}, {kToday + kOneDay, 1}}})
      .then(RuleDaysSettled{{{kToday + kOneDay, 1}}});
  given<RuleChanges>(RuleDaysSettled{{{kToday, 1}}}).when(SettleDays{{{kToday, 1}}}).then_nothing();
}

TEST(RuleChangesTest, ADayIsNotSettledByRulesThatItDoesNotGoBy) {
  given<RuleChanges>(changed(2, kToday))
      .when(SettleDays{{{kToday, 1}}})
      .then_rejected("counted-by-other-rules");
  given<RuleChanges>(RuleDaysSettled{{{kToday, 1}}}, changed(2, kToday))
      .when(SettleDays{{{kToday, 2}}})
      .then_rejected("counted-by-other-rules");
}

TEST(RuleChangesTest, ADayThatHasBegunForSomebodyGoesByWhatItBeganWith) {
  given<RuleChanges>(RuleDaysSettled{{{kToday + kOneDay, 1}, {kToday + 900 * kOneDay, 1}}})
      .when(change())
      .then(changed(2, kToday + 2 * kOneDay));
  RuleBook book = RuleBook::standard();
  book.settle({kToday + 900 * kOneDay, 1});
  book.add(changed(2, kToday + kOneDay).set);
  EXPECT_EQ(book.on(kToday + 899 * kOneDay).version, 2);
  EXPECT_EQ(book.on(kToday + 900 * kOneDay).version, 1);
  EXPECT_EQ(book.on(kToday + 901 * kOneDay).version, 2);
}

TEST(RuleChangesTest, RulesStayWithinTheirBounds) {
  const auto rejected = [](Rule rule) {
    given<RuleChanges>().when(change(kToday, {rule})).then_rejected("rule-out-of-bounds");
  };
  rejected({Reason::Adjustment, 1, 0});
  rejected({Reason::SignIn, Rule::kPointsMax + 1, 0});
  rejected({Reason::SignIn, -Rule::kPointsMax - 1, 0});
  rejected({Reason::SignIn, 1, -1});
  rejected({Reason::SignIn, 1, Rule::kContributionMax + 1});
  rejected({Reason::SignIn, 1, 0, 0});
  rejected({Reason::SignIn, 1, 0, Rule::kCapMax + 1});
  given<RuleChanges>()
      .when(change(kToday, {{Reason::SignIn, 1, 0}, {Reason::SignIn, 2, 0}}))
      .then_rejected("rule-repeated");
  const std::vector<Rule> most = {
      {Reason::SignIn, -Rule::kPointsMax, Rule::kContributionMax, std::uint32_t{Rule::kCapMax}}};
  given<RuleChanges>().when(change(kToday, most)).then(changed(2, kToday + kOneDay, most));
}

TEST(RuleChangesTest, LevelsRise) {
  for (const std::vector<std::int64_t>& points :
       std::vector<std::vector<std::int64_t>>{{}, {5, 5}, {5, 4}, {Levels::kPointsMax + 1}}) {
    given<RuleChanges>()
        .when(ChangeRules{kToday, kRules, points, kOperator})
        .then_rejected("levels-out-of-order");
  }
}

eventsourcing::RecordedEvent recorded(const eventsourcing::NewEvent& event) {
  eventsourcing::RecordedEvent made;
  made.source = "scoring";
  made.type = event.type;
  made.data = event.data;
  return made;
}

TEST(RuleChangesCodecTest, ReadsWhatItWrote) {
  for (const RuleChanges::Event& event :
       std::vector<RuleChanges::Event>{changed(7, kToday), RuleDaysSettled{{{kToday, 7}}}}) {
    const auto encoded = eventsourcing::EventCodec<RuleChanges>{}.encode(event);
    EXPECT_EQ(encoded.visibility, eventsourcing::Visibility::Public);
    EXPECT_EQ(eventsourcing::EventCodec<RuleChanges>{}.decode(recorded(encoded)), event)
        << encoded.data;
  }
}

TEST(RuleChangesCodecTest, RefusesWhatIsDamaged) {
  auto event = recorded(eventsourcing::EventCodec<RuleChanges>{}.encode(changed(7, kToday)));
  const auto damage = [&](const std::string& what, const std::string& by) {
    auto damaged = event;
    const auto at = damaged.data.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    damaged.data.replace(at, what.size(), by);
    EXPECT_THROW(static_cast<void>(eventsourcing::EventCodec<RuleChanges>{}.decode(damaged)),
                 eventsourcing::CodecFailed)
        << by;
  };
  damage("sign-in", "luck");
  damage(R"("version":7)", R"("version":0)");
  damage(R"("points":100)", R"("points":10)");
  damage(R"("cap_per_day":10)", R"("cap_per_day":0)");
  damage(R"("rules":[)", R"("rules":[7,)");
  event.type = "RulesForgotten";
  EXPECT_FALSE(eventsourcing::EventCodec<RuleChanges>{}.decode(event).has_value());
}

}  // namespace
}  // namespace tideline::scoring
