// The engine, the oracle in memory and the law as SQL over plain tables say the same of random
// histories, cut off anywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "../random_histories.hpp"
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

template <class List>
struct Told {
  std::string who;
  List by_engine, by_oracle, by_sql;
};
using Lines = std::vector<std::string>;
template <class List>
using ToldOf = std::map<SqlOracle::Viewer, Told<List>>;

std::string line(const char* what, core::MomentId moment, const std::string& rest) {
  return std::string(what) + " " + core::to_string(moment) + " " + rest;
}

Lines met_by_engine(FeedEngine& engine, const History& history, const core::AccountId& viewer) {
  Lines lines;
  for (const core::MomentId id : history.moments()) {
    const auto entry = engine.reader().find_visible(id, viewer);
    if (!entry) continue;
    if (entry->edits > 0) lines.push_back(line("edits", id, std::to_string(entry->edits)));
    if (entry->bookmarked) lines.push_back(line("bookmark", id, ""));
    const auto likers = engine.reader().likers_of(id, viewer);
    for (const auto& liker : *likers) {
      lines.push_back(line("like", id, liker.to_string()));
    }
    const auto comments = engine.reader().comments_of(id, viewer, {}, 10'000);
    for (const auto& comment : comments->items) {
      const auto parent = comment.parent.value_or(core::CommentId());
      lines.push_back(
          line("comment", id, core::to_string(comment.id) + " " + core::to_string(parent)));
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

Lines met_by_oracle(const Oracle& oracle, const core::AccountId& viewer) {
  Lines lines;
  for (const auto& [moment, met] : oracle.met_by(viewer)) {
    const core::MomentId id(moment);
    if (met.edits > 0) lines.push_back(line("edits", id, std::to_string(met.edits)));
    if (met.bookmarked) lines.push_back(line("bookmark", id, ""));
    for (const auto& liker : met.likers) lines.push_back(line("like", id, liker));
    for (const auto& [comment, parent] : met.comments) {
      lines.push_back(line("comment", id, std::to_string(comment) + " " + std::to_string(parent)));
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Puts what SQL says beside what the others say.
template <class List>
void hear_sql(ToldOf<List>& all, const std::map<SqlOracle::Viewer, List>& answers) {
  for (auto& [viewer, told] : all) {
    told.who = std::to_string(viewer.first) + " " + viewer.second;
    if (const auto found = answers.find(viewer); found != answers.end()) {
      told.by_sql = found->second;
    }
  }
}

template <class List>
std::size_t compare(const ToldOf<List>& all) {
  std::size_t compared = 0;
  for (const auto& [viewer, told] : all) {
    EXPECT_EQ(told.by_oracle, told.by_sql) << told.who;
    EXPECT_EQ(told.by_engine, told.by_sql) << told.who;
    if (::testing::Test::HasFailure()) break;
    compared += told.by_sql.size();
  }
  return compared;
}

class Batch {
 public:
  // A tenth of what the law test tries.
  static std::size_t size() { return static_cast<std::size_t>(testing::history_count(250, 10)); }

  explicit Batch(std::size_t histories, const BrokenEngine& broken = {}) {
    for (std::size_t h = 0; h < histories; ++h) add(broken);
    sql_ = SqlOracle::ask(delivered_);
    hear_sql(timelines_, sql_.timelines);
    hear_sql(shown_, sql_.shown);
    hear_sql(met_, sql_.met);
  }

  const ToldOf<Ids>& timelines() const { return timelines_; }
  const ToldOf<Ids>& shown() const { return shown_; }
  const ToldOf<Lines>& met() const { return met_; }
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
      auto& timeline = timelines_[key];
      timeline.by_oracle = delivery.oracle().timeline(viewer);
      timeline.by_engine = testing::ids_of(engine.reader().timeline(viewer, {}, 10'000));
      auto& shown = shown_[key];
      shown.by_oracle = delivery.oracle().shown_to(viewer);
      for (const core::MomentId id : history.moments()) {
        if (engine.reader().find_visible(id, viewer)) shown.by_engine.push_back(id.value());
      }
      std::sort(shown.by_engine.rbegin(), shown.by_engine.rend());
      met_[key].by_engine = met_by_engine(engine, history, viewer);
      met_[key].by_oracle = met_by_oracle(delivery.oracle(), viewer);
    }
    delivered_.emplace_back(delivery.delivered(), history.people());
  }

  std::mt19937 numbers_{20260103};
  std::vector<std::pair<Events, std::vector<core::AccountId>>> delivered_;
  ToldOf<Ids> timelines_;
  ToldOf<Ids> shown_;
  ToldOf<Lines> met_;
  SqlOracle::Answers sql_;
};

TEST(SqlOracle, SaysWhatTheEngineAndTheOracleInMemorySay) {
  const Batch batch(Batch::size());
  const std::size_t ids = compare(batch.timelines()) + compare(batch.shown());
  const std::size_t met = compare(batch.met());
  EXPECT_TRUE(batch.disagreements().empty()) << batch.disagreements().front();
  EXPECT_GT(ids, Batch::size() * 30) << "nearly nothing was compared";
  EXPECT_GT(met, Batch::size() * 8) << "nearly nothing was met under them";
  std::cout << Batch::size() << " histories, " << ids << " ids, " << met << " lines under them\n";
}

TEST(SqlOracle, FindsOutAnEngineWithoutARule) {
  const Batch batch(50, {.rule = "exclusions", .rules = {.exclusion = false}});
  std::size_t differing = 0;
  for (const auto& [viewer, told] : batch.timelines()) differing += told.by_engine != told.by_sql;
  EXPECT_GT(differing, 0U);
}

TEST(SqlOracle, FindsOutAnEngineThatShowsStrangersWords) {
  const Batch batch(50, {.rule = "known writers", .rules = {.known_writers = false}});
  std::size_t differing = 0;
  for (const auto& [viewer, told] : batch.met()) differing += told.by_engine != told.by_sql;
  EXPECT_GT(differing, 0U);
}

}  // namespace
}  // namespace tideline::feed
