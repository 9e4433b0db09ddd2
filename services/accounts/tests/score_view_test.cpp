// What scoring publishes, as this service keeps and reads it.

#include "accounts/projections/score_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "accounts/projections/score_queries.hpp"
#include "eventsourcing/projections/projection.hpp"
#include "support/contract.hpp"

namespace tideline::accounts::testing {
namespace {

using nlohmann::json;
using ::testing::IsEmpty;

const core::AccountId kAda = *core::AccountId::parse("aaaaaaaaaaaaaaaaaaaaaaaaae");

json score(int version, const char* as_of, int points) {
  return {{"version", version},
          {"as_of", as_of},
          {"closed", false},
          {"points", points},
          {"level", 1},
          {"rank", nullptr},
          {"contributions", 0},
          {"days", json::array()},
          {"day_contributions", json::array()}};
}

// Keeps the statement's parameters.
class RecordingTransaction final : public sql::Transaction {
 public:
  sql::Rows execute(std::string_view, const sql::Params& params) override {
    last_params = params;
    ++statements;
    return {};
  }
  void copy_in(std::string_view, std::span<const std::string>,
               std::span<const sql::Params>) override {
    FAIL() << "nothing is copied here";
  }
  std::string parameter(std::size_t index) const { return *last_params.at(index).text(); }

  sql::Params last_params;
  int statements = 0;
};

TEST(ScoreContract, TowardScoringIsRead) {
  const auto contract = test_support::read_contract(TIDELINE_SOURCE_DIR, "accounts", "scoring");
  EXPECT_THAT(test_support::broken_examples(contract), IsEmpty());
  ASSERT_EQ(contract.events.size(), 1U);
  const auto& promised = contract.events[0];
  const auto day = [](const char* text) { return core::parse_day(text).value(); };
  EXPECT_EQ(read_published_score(promised.example.dump()),
            (PublishedScore{.version = 17,
                            .as_of = day("2026-11-21"),
                            .closed = false,
                            .points = 123,
                            .level = 2,
                            .rank = 42,
                            .contributions = 31,
                            .days = {day("2026-11-19"), day("2026-11-21")},
                            .day_contributions = {5, 2}}));
  for (const auto& [field, kind] : promised.kinds) {
    json without = promised.example;
    without.erase(field);
    EXPECT_THROW(read_published_score(without.dump()), eventsourcing::PoisonEvent)
        << "is read without " << field;
  }
}

TEST(ScoreView, TheNewestWinsInEveryOrder) {
  const std::string older = score(3, "2026-05-02", 30).dump();
  const std::string ranked_later = score(3, "2026-05-03", 30).dump();
  const std::string newer = score(4, "2026-05-01", 40).dump();
  std::vector<std::string> values{newer, older, ranked_later};
  std::sort(values.begin(), values.end());
  do {
    ScoreView view;
    RecordingTransaction transaction;
    for (const auto& value : values) view.apply(kAda.to_string(), value);
    view.flush(transaction);
    EXPECT_EQ(transaction.parameter(1), "{\"4\"}");
    EXPECT_EQ(transaction.parameter(4), "{\"40\"}");
  } while (std::next_permutation(values.begin(), values.end()));
  for (const bool later_first : {false, true}) {
    ScoreView view;
    RecordingTransaction transaction;
    view.apply(kAda.to_string(), later_first ? ranked_later : older);
    view.apply(kAda.to_string(), later_first ? older : ranked_later);
    view.flush(transaction);
    EXPECT_EQ(transaction.parameter(2), "{\"2026-05-03\"}");
  }
}

TEST(ScoreView, WritesWhatIsNewOnce) {
  ScoreView view;
  RecordingTransaction transaction;
  // Older installations of scoring begin to count at 0.
  view.apply(kAda.to_string(), score(0, "2026-05-01", 7).dump());
  view.flush(transaction);
  view.flushed();
  EXPECT_EQ(transaction.parameter(4), "{\"7\"}");
  view.flush(transaction);
  EXPECT_EQ(transaction.statements, 1);
}

TEST(ScoreView, ATombstoneErasesForEver) {
  ScoreView view;
  RecordingTransaction transaction;
  view.apply(kAda.to_string(), score(9, "2026-05-01", 7).dump());
  view.apply(kAda.to_string(), std::nullopt);
  view.apply(kAda.to_string(), score(10, "2026-05-01", 8).dump());
  view.flush(transaction);
  EXPECT_EQ(transaction.parameter(3), "{\"true\"}");
  EXPECT_EQ(transaction.parameter(4), "{NULL}");
}

TEST(ScoreView, AValueThatCannotBeReadIsPoison) {
  ScoreView view;
  EXPECT_THROW(view.apply("no-account", "{}"), eventsourcing::PoisonEvent);
  const auto refused = [&](const char* field, const json& value) {
    json broken = score(1, "2026-05-01", 7);
    broken[field] = value;
    EXPECT_THROW(view.apply(kAda.to_string(), broken.dump()), eventsourcing::PoisonEvent)
        << broken.dump();
  };
  refused("version", "1");
  refused("as_of", "2026-05");
  refused("closed", nullptr);
  refused("points", 1.5);
  refused("days", json::array({"2026-05-01"}));
  refused("day_contributions", nullptr);
  for (const char* text : {"", "[]", "[", "7"}) {
    EXPECT_THROW(view.apply(kAda.to_string(), text), eventsourcing::PoisonEvent) << text;
  }
  RecordingTransaction transaction;
  view.flush(transaction);
  EXPECT_EQ(transaction.statements, 0);
}

// rapidcheck prints the seed of a failure; RC_PARAMS="seed=..." runs it again.
RC_GTEST_PROP(CurrentScoreLaw, IsTheSumOfThe30DaysUpToTheDateOfTheRead, ()) {
  const core::Day as_of = core::parse_day("2026-03-01").value();
  // By days after as_of.
  const auto amounts = *rc::gen::container<std::map<int, std::int64_t>>(
      rc::gen::inRange(-62, 40), rc::gen::inRange<std::int64_t>(1, 100));
  PublishedScore published{.version = 1, .as_of = as_of, .closed = false};
  for (const auto& [offset, amount] : amounts) {
    published.days.push_back(as_of + std::chrono::days(offset));
    published.day_contributions.push_back(amount);
  }
  for (int read = -40; read < 80; ++read) {
    std::int64_t expected = 0;
    for (int offset = read - 29; offset <= read; ++offset) {
      const auto found = amounts.find(offset);
      if (found != amounts.end()) expected += found->second;
    }
    RC_ASSERT(current_score(published, as_of + std::chrono::days(read)) == expected);
  }
}

}  // namespace
}  // namespace tideline::accounts::testing
