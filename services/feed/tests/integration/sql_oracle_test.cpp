// The engine, the oracle in memory and the law as SQL over plain tables say the same of random
// histories, cut off anywhere.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "../trial.hpp"
#include "sql_oracle.hpp"

namespace tideline::feed {
namespace {

using testing::BrokenEngine;
using testing::Delivery;
using testing::Events;
using testing::History;
using testing::Oracle;
using testing::SqlOracle;
using testing::Tape;
using Ids = Oracle::Ids;

struct Told {
  std::string who;
  Ids by_engine, by_oracle, by_sql;
};

class Batch {
 public:
  // A tenth of what the law test tries.
  static std::size_t size() {
    const char* wanted = std::getenv("TIDELINE_FEED_HISTORIES");
    return wanted == nullptr ? 1'000 : static_cast<std::size_t>(std::atoi(wanted)) / 10;
  }

  explicit Batch(std::size_t histories, const BrokenEngine& broken = {}) {
    for (std::size_t h = 0; h < histories; ++h) add(broken);
    sql_ = SqlOracle::ask(delivered_);
    for (auto* lists : {&timelines_, &shown_}) {
      const auto& answers = lists == &timelines_ ? sql_.timelines : sql_.shown;
      for (auto& [viewer, told] : *lists) {
        told.who = std::to_string(viewer.first) + " " + viewer.second;
        if (const auto found = answers.find(viewer); found != answers.end()) {
          told.by_sql = found->second;
        }
      }
    }
  }

  const std::map<SqlOracle::Viewer, Told>& timelines() const { return timelines_; }
  const std::map<SqlOracle::Viewer, Told>& shown() const { return shown_; }
  const std::vector<std::string>& disagreements() const { return sql_.disagreements; }

 private:
  void add(const BrokenEngine& broken) {
    const auto trial = testing::random_trial(numbers_, 100 + numbers_() % 500, 300);
    const History history(trial.history);
    FeedEngine engine(testing::options_of(trial, broken));
    Delivery delivery(history, engine, Tape(trial.interleaving), broken.misread);
    for (auto steps = numbers_() % 200; steps > 0 || !delivery.is_comparable();) {
      if (!delivery.step()) break;
      steps -= steps > 0 ? 1 : 0;
    }
    for (const core::AccountId& viewer : history.people()) {
      const SqlOracle::Viewer key{delivered_.size(), viewer.to_string()};
      Told& timeline = timelines_[key];
      timeline.by_oracle = delivery.oracle().timeline(viewer);
      timeline.by_engine = testing::ids_of(engine.timeline(viewer, {}, 10'000));
      Told& shown = shown_[key];
      shown.by_oracle = delivery.oracle().shown_to(viewer);
      for (const core::MomentId id : history.moments()) {
        if (engine.find_visible(id, viewer)) shown.by_engine.push_back(id.value());
      }
      std::sort(shown.by_engine.rbegin(), shown.by_engine.rend());
    }
    delivered_.emplace_back(delivery.delivered(), history.people());
  }

  std::mt19937 numbers_{20260103};
  std::vector<std::pair<Events, std::vector<core::AccountId>>> delivered_;
  std::map<SqlOracle::Viewer, Told> timelines_;
  std::map<SqlOracle::Viewer, Told> shown_;
  SqlOracle::Answers sql_;
};

TEST(SqlOracle, SaysWhatTheEngineAndTheOracleInMemorySay) {
  const Batch batch(Batch::size());
  std::size_t ids = 0;
  for (const auto* lists : {&batch.timelines(), &batch.shown()}) {
    for (const auto& [viewer, told] : *lists) {
      ASSERT_EQ(told.by_oracle, told.by_sql) << told.who;
      ASSERT_EQ(told.by_engine, told.by_sql) << told.who;
      ids += told.by_sql.size();
    }
  }
  EXPECT_TRUE(batch.disagreements().empty()) << batch.disagreements().front();
  EXPECT_GT(ids, Batch::size() * 50) << "nearly nothing was compared";
  std::cout << Batch::size() << " histories, " << ids << " ids\n";
}

TEST(SqlOracle, FindsOutAnEngineWithoutARule) {
  const Batch batch(50, {.rule = "exclusions", .rules = {.exclusion = false}});
  std::size_t differing = 0;
  for (const auto& [viewer, told] : batch.timelines()) differing += told.by_engine != told.by_sql;
  EXPECT_GT(differing, 0U);
}

}  // namespace
}  // namespace tideline::feed
