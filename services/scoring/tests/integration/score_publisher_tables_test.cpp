// What is published, read from a real PostgreSQL while the engine writes it: killed again and
// again, every reader ends with what the engine knows.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "eventsourcing/topics/in_memory_topics.hpp"
#include "projections/runner/projection_runner.hpp"
#include "scoring/projections/score_publisher.hpp"
#include "scoring/tests/engine_for_tests.hpp"
#include "scoring/tests/histories.hpp"
#include "scoring/tests/integration/scoring_database.hpp"
#include "scoring/tests/published_scores.hpp"

namespace tideline::scoring {
namespace {

using namespace std::chrono_literals;
namespace es = eventsourcing;

constexpr auto kDeadline = 20s;
constexpr std::uint8_t kPeople = 9;
const core::Timestamp kStart = at("2026-03-30T10:00:00.000000Z");

// Commits nothing of the feed's once it is told so, as if the process had been killed.
class MortalDatabase final : public sql::Database {
 public:
  explicit MortalDatabase(sql::Database& inner) : inner_(inner) {}
  void kill_after(int transactions) { left_ = transactions; }

  core::Status transact(const std::function<void(sql::Transaction&)>& work) override {
    if (left_ <= 0) return core::unavailable("killed");
    return inner_.transact([&](sql::Transaction& transaction) {
      work(transaction);
      // What was published stays published, but its checkpoint is not written.
      if (--left_ <= 0) throw sql::TransactionFailed(core::unavailable("killed"));
    });
  }
  core::Status snapshot(const std::function<void(sql::Transaction&)>& work) override {
    return inner_.snapshot(work);
  }

 private:
  sql::Database& inner_;
  std::atomic<int> left_{1'000'000};
};

class ScorePublisherTablesTest : public ::testing::Test {
 protected:
  std::vector<es::RecordedEvent> history() {
    std::vector<es::RecordedEvent> events;
    for (std::uint8_t who = 1; who <= kPeople; ++who) {
      const auto other = static_cast<std::uint8_t>(who % kPeople + 1);
      auto time = kStart + std::chrono::minutes(who);
      events.push_back(make.registered(who, time));
      for (int day = 0; day < 40; day += 3) {
        time += 72h;
        events.push_back(make.signed_in(who, time));
        events.push_back(make.commented(who, time + 1s));
        for (int i = 0; i < 7; ++i) events.push_back(make.edited(who, time + 2s));
        events.push_back(make.voted(who, other, true, time + 3s));
      }
      events.push_back(make.adjusted(who, who % 2 == 0 ? -40 : 500, time + 5s));
    }
    events.push_back(make.closed(3, kStart + 90h));
    std::map<std::string, std::uint64_t> positions;
    for (auto& event : events) {
      event.position = core::LogPosition(++positions[event.source]);
      everything.raise(event.source, event.log, event.position);
    }
    return events;
  }

  std::unique_ptr<ScorePublisher> new_publisher(es::AppliedPositions& committed) {
    ScorePublisherPorts ports{.scores = engine,
                              .committed = committed,
                              .caught_up = [] { return true; },
                              .topic = topic,
                              .campus = campus,
                              .clock = clock};
    ScorePublisherOptions options;
    options.interval = 20ms;
    options.events_max = 50;
    return std::make_unique<ScorePublisher>(std::move(ports), options);
  }

  void flush() {
    ASSERT_EQ(engine.prepare_flush().state, es::Preparation::State::Done);
    const auto flushed =
        database.transact([&](sql::Transaction& transaction) { engine.flush(transaction); });
    ASSERT_TRUE(flushed.ok()) << flushed.error().message;
    engine.flushed();
  }
  void apply_deferred() {
    const auto applied = database.transact(
        [&](sql::Transaction& transaction) { engine.apply_deferred(transaction); });
    ASSERT_TRUE(applied.ok()) << applied.error().message;
  }

  ShiftedCalendar campus{8h};
  core::ManualClock clock{kStart + std::chrono::days(40)};
  EventMaker make;
  postgres::PooledDatabase database{scoring_database()};
  es::InMemoryTopics topics{kLogs};
  es::PositionVector everything;
  PublishedScores topic;
  RulesInMemory rules{clock};
  ScoreEngine engine{rules.kept, campus, clock, {.flush_interval = std::chrono::hours(1)}};
};

TEST_F(ScorePublisherTablesTest, AKilledFeedLosesNothing) {
  const auto events = history();
  projections::ProjectionRunner scores(engine, {database, topics.source(engine.sources()), {}, {}},
                                       kLogs);
  std::jthread engine_thread([&](std::stop_token stop) { scores.run(stop); });
  std::jthread folding([&](const std::stop_token& stop) { engine.run_folding(database, stop); });
  for (int life = 1; life <= 4; ++life) {
    for (std::size_t i = (life - 1) * events.size() / 4; i < life * events.size() / 4; ++i) {
      topics.publish(events[i]);
    }
    // Claim and load are the first, then come flushes.
    MortalDatabase mortal(database);
    mortal.kill_after(life + 1);
    const auto publisher = new_publisher(scores.applied());
    projections::ProjectionRunner runner(
        *publisher, {mortal, topics.source(publisher->sources()), {}, {}}, kLogs);
    std::jthread thread([&](std::stop_token stop) { runner.run(stop); });
    const auto give_up = std::chrono::steady_clock::now() + kDeadline;
    while (runner.status().rewinds == 0 && runner.status().last_problem.empty() &&
           std::chrono::steady_clock::now() < give_up) {
      std::this_thread::yield();
    }
    EXPECT_LT(std::chrono::steady_clock::now(), give_up) << "it was never killed";
  }
  const auto publisher = new_publisher(scores.applied());
  projections::ProjectionRunner runner(
      *publisher, {database, topics.source(publisher->sources()), {}, {}}, kLogs);
  std::jthread thread([&](std::stop_token stop) { runner.run(stop); });
  ASSERT_TRUE(runner.applied().wait_for(everything, kDeadline));

  const core::Day today = campus.day_of(clock.now());
  for (std::uint8_t who = 1; who <= kPeople; ++who) {
    const auto state = topic.of(account_with(who));
    ASSERT_FALSE(state.is_null()) << int{who};
    EXPECT_EQ(state.at("closed"), who == 3);
    if (who == 3) continue;
    const Total total = engine.total(account_with(who));
    EXPECT_EQ(state.at("points"), total.points);
    EXPECT_EQ(state.at("version"), 1 + 14 * (1 + 1 + 7 + 2) + 1);
    const auto calendar = database.read([&](sql::Transaction& transaction) {
      return find_calendar(transaction, account_with(who), {2026}, today);
    });
    ASSERT_TRUE(calendar.ok());
    EXPECT_EQ(state.at("contributions"), calendar->history_score);
    EXPECT_EQ(current_score_of(state, today), calendar->current_score);
    EXPECT_LT(calendar->current_score, calendar->history_score);
    EXPECT_GT(calendar->current_score, 0);
  }
}

TEST_F(ScorePublisherTablesTest, WhatFlushesDeferIsFoldedOnce) {
  const auto number = [&](const std::string& sql) {
    return database.query(sql, {}).value().at(0).integer(0);
  };
  std::size_t events = 0;
  for (const auto& event : history()) {
    engine.apply(event);
    if (++events % 30 == 0) flush();
  }
  flush();
  EXPECT_EQ(number("SELECT count(*) FROM score_delta"), static_cast<std::int64_t>(kDeltasMax))
      << "more were folded by the flushes";
  EXPECT_EQ(engine.status().flushes_pending, kDeltasMax);
  // Nor does a flush wait for somebody who folds, whose transaction may last.
  constexpr int kMeanwhile = 20;
  const auto flush_one_more = [&](int day) {
    engine.apply(make.signed_in(1, kStart + std::chrono::days(day)));
    flush();
  };
  const auto folded = database.transact([&](sql::Transaction& transaction) {
    engine.apply_deferred(transaction);
    for (int i = 0; i < kMeanwhile; ++i) flush_one_more(i);
  });
  ASSERT_TRUE(folded.ok()) << folded.error().message;
  EXPECT_EQ(number("SELECT count(*) FROM score_delta"), kMeanwhile);
  EXPECT_EQ(engine.status().flushes_pending, kDeltasMax + kMeanwhile)
      << "the other has not committed yet";
  flush_one_more(kMeanwhile);
  EXPECT_EQ(number("SELECT count(*) FROM score_delta"), kMeanwhile - 1)
      << "a flush folds a little of what has piled up";

  std::vector<std::jthread> folders;
  for (int i = 0; i < 3; ++i) folders.emplace_back([&] { apply_deferred(); });
  folders.clear();
  EXPECT_EQ(number("SELECT count(*) FROM score_delta"), 0);
  const auto rows = database.query("SELECT account_id, points FROM score", {}).value();
  EXPECT_EQ(rows.size(), kPeople);
  for (const auto& row : rows) {
    EXPECT_EQ(row.integer(1), engine.total(row.account(0)).points_of_all_time) << row.text(0);
  }
}

TEST_F(ScorePublisherTablesTest, WhatFlushesDeferIsFoldedBesideThem) {
  std::jthread folding([&](const std::stop_token& stop) { engine.run_folding(database, stop); });
  const auto give_up = std::chrono::steady_clock::now() + kDeadline;
  for (int day = 0; day < 3; ++day) {
    engine.apply(make.signed_in(1, kStart + std::chrono::days(day)));
    flush();
    while (engine.status().flushes_pending != 0 && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(5ms);
    }
    EXPECT_EQ(engine.status().flushes_pending, 0U);
    EXPECT_TRUE(database.query("SELECT FROM score_delta", {}).value().empty());
    EXPECT_EQ(database.query("SELECT points FROM score", {}).value().at(0).integer(0),
              engine.total(account_with(1)).points);
  }
}

// Whether what a flush has deferred is folded or not: its days are in the calendar at once.
TEST_F(ScorePublisherTablesTest, StatesAreReadWithTheirDays) {
  engine.apply(make.registered(2, kStart));
  engine.apply(make.published(1, at("2025-12-31T12:00:00.000000Z")));
  engine.apply(make.published(1, at("2026-01-31T12:00:00.000000Z")));
  flush();
  apply_deferred();
  engine.apply(make.published(1, at("2026-02-28T12:00:00.000000Z")));
  engine.apply(make.closed(2, kStart + 1h));
  flush();
  for (const bool is_folded : {false, true}) {
    SCOPED_TRACE(is_folded);
    if (is_folded) apply_deferred();
    const auto states = database.read([](sql::Transaction& transaction) {
      const std::vector<core::AccountId> wanted{account_with(1), account_with(2), account_with(3)};
      return find_score_states(transaction, wanted, core::parse_day("2026-01-15").value());
    });
    ASSERT_TRUE(states.ok()) << states.error().message;
    ASSERT_EQ(states->size(), 2U);
    const auto day = [](const char* text) { return core::parse_day(text).value(); };
    EXPECT_EQ(
        (*states)[0],
        (ScoreState{
            account_with(1), 3, 30, 15, {day("2026-01-31"), day("2026-02-28")}, {5, 5}, false}));
    EXPECT_EQ((*states)[1], (ScoreState{account_with(2), 2, 0, 0, {}, {}, true}));
  }
}

// An older installation gets its totals of contributions from the calendars.
TEST_F(ScorePublisherTablesTest, ContributionsAreWhatTheCalendarsSay) {
  for (const auto& event : history()) engine.apply(event);
  engine.apply(make.edited(77, kStart));
  flush();
  apply_deferred();
  const auto totals = [&] {
    std::map<std::string, std::int64_t> by_account;
    for (const auto& row :
         database.query("SELECT account_id, contributions FROM score", {}).value())
      by_account[row.text(0)] = row.integer(1);
    return by_account;
  };
  const auto written = totals();
  const std::string migration = migrations().at(5).sql;
  const std::string fill = migration.substr(migration.find("INSERT INTO score"));
  ASSERT_TRUE(database
                  .transact([&](sql::Transaction& transaction) {
                    transaction.execute("DELETE FROM score WHERE standing = 0");
                    transaction.execute("UPDATE score SET contributions = 0");
                    transaction.execute(fill);
                  })
                  .ok());
  EXPECT_EQ(totals(), written);
  EXPECT_EQ(written.at(account_with(77).to_uuid()), 1);
}

}  // namespace
}  // namespace tideline::scoring
